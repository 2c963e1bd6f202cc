# What a person runs, and what CI runs. `make help` lists the targets.

PYTHON ?= python3
BIN := .venv/bin
XR ?= examples/gpu-inference/xr.yaml

VERSION := $(shell sed -n 's/^__version__ = "\(.*\)"/\1/p' function/__init__.py)
REGISTRY ?= xpkg.upbound.io/modelplane
DOCKER ?= docker
CROSSPLANE ?= crossplane
ARCHITECTURES ?= amd64 arm64
OUTPUT := _output

.DEFAULT_GOAL := help

##@ For everybody

.PHONY: help
help: ## List the targets
	@awk 'BEGIN { FS = ":.*## " } /^##@/ { print "\n" substr($$0, 5) } \
		/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: preview
preview: .venv/cli ## Play the life of a CivoCluster; XR=file for another one than the GPU example
	@$(BIN)/civocluster preview $(XR)

.PHONY: serve
serve: .venv/cli ## Serve the function on this machine, for `crossplane composition render`
	$(BIN)/function --insecure --debug --address localhost:9443

##@ For developers

.PHONY: test
test: .venv/dev ## Run the tests, with the coverage that they must reach
	$(BIN)/pytest --cov --cov-report=term

.PHONY: check
check: .venv/dev supply-chain ## Check format, lint, types, layers and the supply chain
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

.PHONY: supply-chain
supply-chain: .venv/dev ## Check what we depend on, and that the tree holds no secret
	$(BIN)/pip check
	$(BIN)/pip-licenses --from mixed --partial-match --allow-only "$(LICENSES)" > /dev/null
	@# Names those that it has no data on; without a connection, that is all of them.
	$(BIN)/pip-audit --progress-spinner off --disable-pip --require-hashes \
		--requirement requirements/cli.txt
	@# A Secret's name isn't one, so no keywords; and hashes look like secrets.
	git ls-files -z | xargs -0 $(BIN)/detect-secrets-hook --disable-plugin KeywordDetector \
		--exclude-files '^requirements/'

.PHONY: fix
fix: .venv/dev ## Mend what can be mended without thinking
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

.PHONY: e2e
e2e: .venv/dev ## Test on the real programs; needs Go, and ten minutes to build them once
	$(BIN)/pytest tests/e2e

.PHONY: soak
soak: .venv/dev ## Let 200 CivoClusters live for half an hour while what runs them is killed
	PYTHONPATH=tests $(BIN)/python -m e2e.soak

.PHONY: bench
bench: .venv/dev ## Measure the function, side by side in one table
	$(BIN)/python -m benchmarks

.PHONY: fleet
fleet: .venv/dev ## Drive ten thousand clusters at the server, for a quarter of an hour
	$(BIN)/python -m benchmarks.fleet

.PHONY: fuzz
fuzz: .venv/dev ## Fuzz the function for half an hour; on Linux and x86-64 alone
	@mkdir -p $(OUTPUT)
	@$(BIN)/python -m pip install --quiet atheris==3.0.0
	PYTHONPATH=tests $(BIN)/python -m fuzz $(OUTPUT)/fuzz -max_total_time=1800

.PHONY: golden
golden: .venv/dev ## Write the golden files anew; then read what changed
	$(BIN)/pytest --update-golden tests/test_examples.py tests/test_fn.py

.PHONY: lock
lock: .venv/dev ## Pin the newest versions that pyproject.toml allows, with their hashes
	$(call compile,runtime)
	$(call compile,cli,--extra cli)
	$(call compile,dev,--extra dev)
	printf 'hatchling\neditables\n' | $(call compile,build,,-)

##@ For releases

.PHONY: image
image: .venv/dev ## Build the function's image for every architecture, and its SBOM
	mkdir -p $(OUTPUT)
	$(BIN)/cyclonedx-py requirements requirements/runtime.txt --output-file $(OUTPUT)/sbom.json
	for architecture in $(ARCHITECTURES); do \
		$(DOCKER) buildx build . --platform linux/$$architecture \
			--output type=docker,dest=$(OUTPUT)/runtime-$$architecture.tar || exit 1; \
	done

.PHONY: xpkg
xpkg: ## Build both packages, the function's from the images of `make image`
	for architecture in $(ARCHITECTURES); do \
		(cd package && $(CROSSPLANE) xpkg build \
			--embed-runtime-image-tarball ../$(OUTPUT)/runtime-$$architecture.tar \
			--package-file ../$(OUTPUT)/function-$$architecture.xpkg) || exit 1; \
	done
	cd apis && $(CROSSPLANE) xpkg build --package-file ../$(OUTPUT)/configuration.xpkg

.PHONY: push
push: ## Push both packages to REGISTRY
	$(CROSSPLANE) xpkg push $(REGISTRY)/function-civocluster:v$(VERSION) \
		--package-files $(subst $() ,$(comma),$(ARCHITECTURES:%=$(OUTPUT)/function-%.xpkg))
	$(CROSSPLANE) xpkg push $(REGISTRY)/configuration-civocluster:v$(VERSION) \
		--package-files $(OUTPUT)/configuration.xpkg

# --- how ---------------------------------------------------------------------------------------

comma := ,

# What a user may pass on together with us.
LICENSES := Apache;BSD;MIT;MPL;Mozilla Public License;PSF;Python Software Foundation;ISC

# $(call compile,NAME[,OPTIONS[,SOURCE]]) pins SOURCE in requirements/NAME.txt. Hosts stay out.
compile = $(BIN)/uv pip compile $(or $(3),pyproject.toml) $(2) --quiet --universal \
	--python-version 3.11 --generate-hashes --no-header --no-annotate --no-emit-index-url \
	--upgrade --output-file requirements/$(1).txt

.venv/pip: requirements/build.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --require-hashes --requirement requirements/build.txt
	@touch $@

# What the command-line tools need; the quickest to install.
.venv/cli: .venv/pip requirements/cli.txt pyproject.toml
	@echo 'Installing into .venv ...'
	@$(BIN)/python -m pip install --quiet --require-hashes --requirement requirements/cli.txt
	@$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

.venv/dev: .venv/cli requirements/dev.txt
	@$(BIN)/python -m pip install --quiet --require-hashes --requirement requirements/dev.txt
	@touch $@
