"""Sorting of (score, index) records of 8 bytes: float32 {score, u32 index}, float16 {score, padding, u32 index}.

The index lies in the record as bits of the score's type, which is how hardware hands it on.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .registry import Array, Context, OperandView, instruction

_GROUP = 32
_RECORD_BYTES = 8


def _records(scores: Array, indices: Array, view: OperandView, exact: bool) -> Array:
    """Rows of scores and uint32 indices as rows of elements of the score's type."""
    width = _RECORD_BYTES // view.numpy.itemsize
    raw = np.zeros((*scores.shape, width), view.numpy)
    words = np.ascontiguousarray(indices.astype(np.uint32)).view(view.numpy)
    raw[..., width // 2 :] = words.reshape(*indices.shape, width // 2)
    result: Array = raw.astype(np.float64) if exact else raw
    result[..., 0] = scores
    return result.reshape(*scores.shape[:-1], -1)


@instruction("TSORT32")
def sort_groups(context: Context, scores: Array, indices: Array) -> Array:
    """Each group of 32 in descending order of score, ties in ascending order of index."""
    columns = scores.shape[-1]
    indices = np.broadcast_to(indices[..., :columns], scores.shape)
    parts = []
    for start in range(0, columns, _GROUP):
        group, labels = scores[..., start : start + _GROUP], indices[..., start : start + _GROUP]
        order = np.lexsort((labels, -group.astype(np.float64)), axis=-1)
        parts.append(
            _records(
                np.take_along_axis(group, order, -1),
                np.take_along_axis(labels, order, -1),
                context.outputs[0],
                context.exact,
            )
        )
    return np.concatenate(parts, axis=-1)


def merge(lists: list[Array], limit: int, until_exhausted: bool) -> tuple[Array, list[int]]:
    """Lists of records (rows of a 2-D array, descending by first element) merged, the earlier list winning ties.

    At most `limit` records; with `until_exhausted` the merge stops when any list is used up. Also how many records of
    each list were used.
    """
    scores = np.concatenate([records[:, 0] for records in lists])
    owner = np.repeat(np.arange(len(lists)), [len(records) for records in lists])
    order = np.argsort(-scores.astype(np.float64), kind="stable")
    taken = owner[order]
    if until_exhausted:
        ends = [np.flatnonzero(taken == number)[-1] + 1 for number in range(len(lists)) if len(lists[number])]
        limit = min([limit, *ends])
    taken = taken[:limit]
    return np.concatenate(lists)[order[:limit]], [int(np.count_nonzero(taken == n)) for n in range(len(lists))]


@instruction("TMRGSORT")
def merge_sorted(context: Context, *sources: Array) -> Any:
    """One list: attribute `block` elements make a sorted block, four blocks merge into one. Two to four lists: merged,
    with attribute `exhausted` until one is used up; a second output of four u16 counts the records used of each."""
    view = context.outputs[0]
    width = _RECORD_BYTES // view.numpy.itemsize
    columns = view.valid[-1]
    if len(sources) == 1:
        block = int(context.attributes["block"])
        flat = sources[0].reshape(-1, width)
        length = block // width
        merged = [
            merge([flat[at + part * length : at + (part + 1) * length] for part in range(4)], 4 * length, False)[0]
            for at in range(0, columns // width - 4 * length + 1, 4 * length)
        ]
        return np.concatenate(merged).reshape(1, -1) if merged else sources[0][..., :0]
    lists = [source.reshape(-1, width) for source in sources]
    records, used = merge(lists, columns // width, bool(context.attributes.get("exhausted")))
    result = records.reshape(1, -1)
    if len(context.outputs) == 1:
        return result
    counts = np.zeros(context.outputs[1].valid, context.outputs[1].numpy)
    counts.reshape(-1)[: len(used)] = used
    return result, counts
