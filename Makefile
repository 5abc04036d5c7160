# What CI runs, a person can run: `make help` says what there is.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := check

GOLANGCI   := go run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
ACTIONLINT := go run github.com/rhysd/actionlint/cmd/actionlint@v1.7.12
FUZZTIME   ?= 30s
DOCKER     ?= $(firstword $(notdir $(shell command -v docker podman)) docker)

.PHONY: check test every race fuzz lint generate generate-check vectors bench image try help

check: generate-check lint test ## all that a change must pass (the default)

test: ## run the tests
	go test ./...

every: ## cut every story after every request, with every fault at every request (half an hour on two cores)
	go test -count=1 -timeout 3h ./internal/scenario -run 'TestEvery(Cut|Fault)' -every

race: ## run the tests under the race detector
	go test -race ./...

fuzz: ## fuzz every target, each for FUZZTIME (30s)
	@.ci/fuzz $(FUZZTIME)

lint: ## look for mistakes in the code, the workflows and the examples
	$(GOLANGCI) run ./...
	$(ACTIONLINT) examples/*.yml .github/workflows/*.yml
	@# Once more as if they lay here: only then are inputs held against action.yml.
	for f in examples/*.yml; do sed 's|uses: prloop/prloop@.*|uses: ./|' $$f | $(ACTIONLINT) -stdin-filename $$f -; done

generate: ## write the generated parts of action.yml and README.md
	go test -count=1 ./internal/docgen -update

generate-check: ## fail if a generated part is not what the code says
	go test -count=1 ./internal/docgen

vectors: ## hold the state machines against the rows in the folder PRLOOP_VECTORS
	@.ci/vectors

bench: ## measure: figure, bar and ratio in one table; 1 if a bar is missed
	@go test -count=1 -v ./internal/bench -bars

image: ## build the action's image as prloop
	$(DOCKER) build -t prloop .

try: image ## play the default story in the image
	$(DOCKER) run --rm prloop simulate

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 16
