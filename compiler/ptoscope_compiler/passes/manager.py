"""The official pass list in its order, and the loop that runs it.

Names and order: strategy PVC2_OOO, `framework/src/passes/pass_mgr/pass_manager.cpp` of hicann/pypto. A pass is a module
with `run(state, context)` and `verify(state, context)`. The state is a `Graph` up to SubgraphToFunction, which turns it
into an `ExecuteGraph`; later passes map execute graphs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias

from ..collector import uncollected
from ..diagnostics.diagnostic import Diagnostic, Report
from ..ir.execute import ExecuteGraph
from ..ir.graph import Builder, Graph

if TYPE_CHECKING:
    from ..targets import Target

State: TypeAlias = Graph | ExecuteGraph
Observe = Callable[[str, State], None]


class InvalidGraph(Exception):
    """A verifier found that a pass broke a property it promises: a defect of ours, never of the user's source."""


class Rejected(Exception):
    """The user's source cannot be compiled further; what is wrong with it has been reported."""


def _ignore(diagnostic: Diagnostic) -> None:
    return None


@dataclass(slots=True)
class PassContext:
    """What a pass may use besides its graph: the chip, fresh ids, where findings go, and the kernel's pass options."""

    target: Target
    builder: Builder
    report: Report = _ignore
    options: Mapping[str, Any] = field(default_factory=dict)

    def option(self, name: str, default: Any = None) -> Any:
        """The option of that plain name (`enable_slice`), given plainly or with its group (`pass.enable_slice`)."""
        for key in (name, f"pass.{name}", f"operation.{name}"):
            if key in self.options:
                return self.options[key]
        return default


@dataclass(frozen=True, slots=True)
class Pass:
    """One pass: its official name, its module in this package, and the architectures that have it (all if empty)."""

    name: str
    module: str
    architectures: frozenset[str] = frozenset()

    def applies(self, architecture: str) -> bool:
        return not self.architectures or architecture in self.architectures

    def run(self, state: State, context: PassContext) -> State:
        """The state after this pass; InvalidGraph where its verifier objects."""
        module = self.load()
        result: State = module.run(state, context)
        module.verify(result, context)
        return result

    def load(self) -> Any:
        """The module of this pass, imported when it is first needed."""
        return import_module(f"{__package__}.{self.module}")


_ONLY_3510 = frozenset({"3510"})

PASSES: tuple[Pass, ...] = (
    Pass("InferTensorFormat", "infer_tensor_format"),
    Pass("RemoveRedundantReshape", "remove_redundant_reshape"),
    Pass("AutoCast", "auto_cast"),
    Pass("InferMemoryConflict", "infer_memory_conflict"),
    Pass("RemoveUndrivenView", "remove_undriven_view"),
    Pass("ExpandFunction", "expand_function"),
    Pass("MergeViewAssemble", "merge_view_assemble"),
    Pass("SplitReshape", "split_reshape"),
    Pass("SplitRawTensor", "split_raw_tensor"),
    Pass("SplitLargeFanoutTensor", "split_large_fanout_tensor"),
    Pass("DuplicateOp", "duplicate_op"),
    Pass("AssignMemoryType", "assign_memory_type"),
    Pass("InferDiscontinuousInput", "infer_discontinuous_input"),
    Pass("RemoveRedundantOp", "remove_redundant_op"),
    Pass("InsertOpForViewAssemble", "insert_op_for_view_assemble"),
    Pass("ProcessAtomic", "process_atomic"),
    Pass("GraphPartition", "graph_partition"),
    Pass("NBufferMerge", "n_buffer_merge"),
    Pass("L1CopyInReuseMerge", "l1_copy_in_reuse_merge"),
    Pass("ReduceCopyMerge", "reduce_copy_merge", _ONLY_3510),
    Pass("IntraSubgraphAdapter", "intra_subgraph_adapter"),
    Pass("GenerateMoveOp", "generate_move_op"),
    Pass("CommonOperationEliminate", "common_operation_eliminate"),
    Pass("AxisCombine", "axis_combine"),
    Pass("PadLocalBuffer", "pad_local_buffer"),
    Pass("RemoveUnalignedReshape", "remove_unaligned_reshape"),
    Pass("ReplaceTensor", "replace_tensor"),
    Pass("PreGraphProcess", "pre_graph_process"),
    Pass("InferDynShape", "infer_dyn_shape"),
    Pass("SubgraphToFunction", "subgraph_to_function"),
    Pass("InferParamIndex", "infer_param_index"),
    Pass("SrcDstBufferMerge", "src_dst_buffer_merge"),
    Pass("AddAlloc", "add_alloc"),
    Pass("OoOSchedule", "ooo_schedule"),
    Pass("TuneTileOpSeqForVF", "tune_tile_op_seq_for_vf", _ONLY_3510),
    Pass("RemoveAlloc", "remove_alloc"),
    Pass("CopyOutResolve", "copy_out_resolve"),
    Pass("InsertSync", "insert_sync"),
    Pass("TuneSyncForVF", "tune_sync_for_vf", _ONLY_3510),
    Pass("MixSubgraphSplit", "mix_subgraph_split", _ONLY_3510),
    Pass("LastUseMark", "last_use_mark"),
    Pass("GlobalMemoryReuse", "global_memory_reuse"),
    Pass("CodegenPreproc", "codegen_preproc"),
)

NAMES: tuple[str, ...] = tuple(entry.name for entry in PASSES)


def run_passes(
    state: State,
    context: PassContext,
    until: str | None = None,
    observe: Observe | None = None,
    after: str | None = None,
) -> State:
    """Run the passes that `context.target` has, from the one behind `after` up to and including `until`.

    `observe(pass name, state)` is called after each pass. ValueError for a name that is not in `NAMES`; Rejected where
    a pass reported an error that leaves nothing to go on with.
    """
    first = NAMES.index(after) + 1 if after is not None else 0
    last = NAMES.index(until) + 1 if until is not None else len(PASSES)
    with uncollected():
        for entry in PASSES[first:last]:
            if not entry.applies(context.target.arch):
                continue
            state = entry.run(state, context)
            if observe is not None:
                observe(entry.name, state)
    return state
