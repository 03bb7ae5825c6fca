PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test bench lint format clean

$(READY): pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q --disable-pip-version-check -e '.[dev]'
	touch $(READY)

demo: $(READY)
	$(BIN)/ptoscope check examples/softmax.py
	$(BIN)/ptoscope ir examples/softmax.py::softmax_kernel --stage execute
	$(BIN)/ptoscope precision examples/softmax.py::softmax_kernel --seed 0
	@echo; echo "The same kernel without its row maximum, on large inputs:"
	-$(BIN)/ptoscope precision examples/softmax_overflow.py::softmax_kernel --seed 0 --scale 100

test: $(READY) lint
	$(BIN)/python -m pytest -n 2 $(PYTEST)

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(READY)
	$(BIN)/python -m benchmarks

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis
