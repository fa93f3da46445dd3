# Every target is a script in scripts/; each tells more with --help.
.DEFAULT_GOAL := help
.PHONY: help check test run bench quality generate clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

check: ## format, lints, licences, wire contracts, generated files: what CI runs first
	@scripts/check

test: ## all tests on a private Postgres and Redis; ARGS='-E test(name)' goes to the runner
	@scripts/test $(ARGS)

run: ## all of it on http://127.0.0.1:8080, with demo data; Ctrl-C stops it
	@scripts/run

bench: ## speed and memory, beside bare servers in the same run
	@scripts/with scripts/bench $(ARGS)

quality: ## how well skills are found, on a public data set
	@scripts/with scripts/quality $(ARGS)

generate: ## refresh .sqlx and docs/reference
	@scripts/generate

clean: ## stop the servers and remove all that was made, data too
	@scripts/clean
