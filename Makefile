# What a developer does here; `make help` lists it. Each command checks what it needs and says what is missing.

export PORT ARGS ENGINE RUNTIME ADVANCE AT FN EVENT ID

.DEFAULT_GOAL := help
.PHONY: help tools run demo provision clock listen trigger resend logs reader payouts reconcile invoke reset install test \
	test-all test-acquirer test-dynamodb-local sdk-check sim lint bench go test-tracing test-infra build cdk bootstrap synth deploy destroy sam deploy-check cost golden pictures

# The engines run once for all packages, and end with the command.
WITH_ENGINES := go run ./localstack/aws/engines/with --

help: ## list these commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-19s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo; echo "After \`make install\` these work in any folder; \`cashwrap COMMAND --help\` has their flags:"
	@sed -n 's/^.*Example: *"  \(cashwrap [^"]*\)".*/  \1/p' localstack/listen.go localstack/trigger.go localstack/resend.go localstack/logs.go localstack/clock.go

# Compiles for a short wait (ARCHITECTURE.md, "Compiling"): without inlining and debugging information, by a compiler that
# collects garbage less often.
QUICKLY := CGO_ENABLED=0 GOGC=400 go build -tags lambda.norpc -gcflags='all=-l -dwarf=false' -ldflags=-w
# Built and then executed, not `go run`, which keeps signals from what it runs.
COMPILED := $(QUICKLY) -o bin/localstack ./localstack
LOCALSTACK := $(COMPILED) && exec bin/localstack

run: go ## start the platform on this machine; PORT=8080 ENGINE=memory (or dynamodb-local) RUNTIME=in-process (or bootstrap) unless given
	@echo 'Compiling. The first time that takes a minute.' >&2; start=$$(date +%s); \
	$(COMPILED) && echo "Compiled in $$(($$(date +%s) - start)) s." >&2 && exec bin/localstack run

demo: go ## run a demo against the running platform, and print every request and response
	@$(LOCALSTACK) demo

provision: go ## call the provision function: make provision ARGS='{"command":"…"}'
	@$(LOCALSTACK) provision "$$ARGS"

clock: go ## move the time of the running platform forward: make clock ADVANCE=7d (90s, 15m, 36h, 2w); print it without
	@$(LOCALSTACK) clock $(if $(ADVANCE),advance "$$ADVANCE")

listen: go ## show callbacks as they are sent: make listen ARGS='--forward-to http://127.0.0.1:4000/callback'
	@$(LOCALSTACK) listen $(ARGS)

trigger: go ## make something happen: make trigger EVENT=checkout.paid ARGS='--override amount:12.50'; lists events without
	@$(LOCALSTACK) trigger $(if $(EVENT),"$$EVENT" $(ARGS),--help)

resend: go ## send a callback again: make resend ID=msg_…
	@$(LOCALSTACK) events resend "$$ID"

logs: go ## show requests to the API as they come: make logs ARGS='--filter-status-code 4xx'
	@$(LOCALSTACK) logs tail $(ARGS)

reader: go ## start a card terminal that joins the running platform: it shows its pairing code, amounts, tips and outcomes
	@$(LOCALSTACK) reader

payouts: go ## pay out what is due now, or at a time to which the platform's clock moves: make payouts AT=2026-12-01T00:30:00Z
	@$(LOCALSTACK) payouts "$$AT"

reconcile: go ## compare all records of money with each other: prints the totals and each break, and fails on one
	@$(LOCALSTACK) reconcile

invoke: go ## hand an event to a function as deployed: make invoke FN=checkouts EVENT=events/checkouts.json
	@$(LOCALSTACK) invoke "$$FN" "$$EVENT"

# `go install` would call it localstack, as its folder.
install: go ## put these commands into Go's folder for programs, under the name cashwrap
	@bin=$$(go env GOBIN); $(QUICKLY) -o "$${bin:-$$(go env GOPATH)/bin}/cashwrap" ./localstack

reset: go ## delete the data and keys of the local run
	@$(LOCALSTACK) reset

# All but the CDK app, which alone takes a minute to compile.
PACKAGES := ./functions/... ./shared/... ./localstack/... ./infra/check/... ./infra/cost/...

test: go ## run all tests that need nothing but Go, without infra's; TESTFLAGS=-race adds to them
	@go test $(TESTFLAGS) $(PACKAGES)

# Of a run of `make test` that CASHWRAP_RECORD=FOLDER has recorded, RECORD=FOLDER plays again only those tests that do
# something else now.
AGAIN = $(if $(RECORD),$$(go run ./localstack/aws/engines/choose $(1) $(RECORD) $(PACKAGES)),$(PACKAGES))

TOOLS := bash chromium curl python3

test-all: export CASHWRAP_TESTS = all
test-all: go tools ## run those too that need more than Go: the real engines, a browser, the guides, deployed programs
	@$(WITH_ENGINES) go test $(TESTFLAGS) $(call AGAIN,left)

tools:
	@missing=; for tool in $(TOOLS); do command -v $$tool >/dev/null || missing="$$missing $$tool"; done; \
	python3 -c 'import ensurepip' 2>/dev/null || missing="$$missing python3-venv"; \
	[ -z "$$missing" ] || { echo "not installed:$$missing. On Debian, apt-get install them." >&2; exit 1; }

# Each SDK is pinned: in go.mod, localstack/package.json and localstack/harness/sdk/requirements.txt.
sdk-check: TOOLS := python3
sdk-check: go tools ## play a story with the vendor's newest SDKs for Go, TypeScript and Python
	@CASHWRAP_TESTS=all go test -count=1 $(TESTFLAGS) ./localstack/harness/sdk

test-tracing: go ## check and test the code as it is built with TRACING=on
	@go vet -tags otel ./shared/app ./functions/proofs/rules
	@go test $(TESTFLAGS) -tags otel ./shared/app ./functions/proofs/rules -run 'Spans|Collector|Transport|Connection|Start|Bootstrap'

test-infra: go cdk ## run the tests of the CDK app
	@go test $(TESTFLAGS) ./infra

# What the engine in memory serves everywhere else, over DynamoDB Local and fauxqs. Each package starts its own: DynamoDB
# Local runs a few jobs a second for each database that it has ever had, and a test has one. Two at a time: each may take
# 1.5 GB.
test-dynamodb-local: export CASHWRAP_ENGINE = dynamodb-local
test-dynamodb-local: PACKAGES := ./shared/store ./shared/rest ./shared/acquirer/... ./functions/... ./localstack/platform/lambda/runner
test-dynamodb-local: go ## run the platform's tests over DynamoDB Local
	@go test -p 2 $(TESTFLAGS) $(call AGAIN,engines)

# One seed decides every interleaving and fault: the same seed, the same history.
sim: go ## replay one simulated history: make sim SEED=123, or WORKLOAD=refunds, hanging, month, people, readers, files, stripe or unknown
	@CASHWRAP_SIM_SEED=$(or $(SEED),1) CASHWRAP_SIM_WORKLOAD=$(WORKLOAD) go test -count=1 -run '^TestReplay$$' -v ./localstack/simulator

bench: go ## run all benchmarks; CASHWRAP_TESTS=all compares with the real engines
	@go test -run '^$$' -bench . -benchmem $(PACKAGES)

PAGES = $(shell find functions shared localstack -name node_modules -prune -o -name '*.templ' -print)
TEMPL := go tool templ generate -log-level error -include-version=false

golden: go ## rewrite what is derived: the pages' Go code, openapi.yaml from its parts, the functions' rights and events, capacity and cost
	@for f in $(PAGES); do $(TEMPL) -f $$f || exit 1; done
	@go test ./functions/proofs/contract -run '^TestOpenAPI_CallersOfRoutes$$' -update
	@go run ./shared/contract/bundle
	@go test ./functions/proofs/access -run '^TestAccess_AsRecorded$$' -update
	@go test ./functions/proofs/capacity ./functions/proofs/rules -run '^(TestCapacity|TestEvents_OfFamilies)$$' -update
	@go test ./infra/cost -run '^TestReport_Page$$' -update

test-acquirer: go ## charge in Stripe's test mode: make test-acquirer STRIPE_KEY=sk_test_…
	@CASHWRAP_TESTS=stripe go test -count=1 -v -run '^TestStripe$$' ./shared/acquirer/stripe

pictures: TOOLS := chromium pngquant
pictures: go tools ## take README's pictures of the sandbox page and a payment page again; needs Chromium and pngquant
	@folder=$$(mktemp -d) && trap 'rm -r "$$folder"' EXIT && CASHWRAP_TESTS=all CASHWRAP_SCREENSHOTS=$$folder \
		go test -count=1 ./functions/pages ./localstack/platform/inspector \
		-run '^(TestShowPaymentPage_EachStateWithABrowser|TestPages_WithABrowser)$$' && \
	pngquant --force --quality 60-90 --strip -o localstack/pictures/payment.png "$$folder/pay-form-light-1280.png" && \
	pngquant --force --quality 60-90 --strip -o localstack/pictures/sandbox.png "$$folder/sandbox-light-1280.png"

lint: go ## check the code with golangci-lint (.golangci.yml), and that generated pages are up to date
	@go tool -modfile=.ci/golangci-lint.mod golangci-lint run ./...
	@for f in $(PAGES); do $(TEMPL) -stdout -f $$f | cmp -s - $${f%.templ}_templ.go || \
		{ echo "$$f has changed: make golden"; exit 1; }; done

# An emulator on this machine runs the functions itself: make deploy ARCH=$(go env GOARCH) BUILD=.build/emulator.
# Only make's own variables count, not the shell's, so that none of them deploys something else by mistake.
ARCH := arm64
BUILD := .build
# With TRACING=on the programs can send spans: OpenTelemetry is linked only then, since it nearly doubles their size,
# which is then not checked.
TRACING :=
COMMA := ,
TAGS := lambda.norpc$(if $(TRACING),$(COMMA)otel)

# The programs do not name their commit, so that an unchanged function stays the same file; the file beside them does
# (infra/commit.go).
build: go ## build every function for Lambda, into .build/; TRACING=on with OpenTelemetry
	@mkdir -p $(BUILD) && { commit=$$(git rev-parse --short=12 HEAD 2>/dev/null) || commit=unknown; \
	[ -z "$$(git status --porcelain 2>/dev/null)" ] || commit=$$commit-dirty; echo $$commit >$(BUILD)/commit; }
	@for main in functions/*/bootstrap; do name=$$(basename $$(dirname $$main)); \
	CGO_ENABLED=0 GOOS=linux GOARCH=$(ARCH) go build -buildvcs=false -tags $(TAGS) -trimpath -ldflags '-s -w' \
		-o $(BUILD)/$$name/bootstrap ./$$main || exit 1; done

# Any name: one for each pull request, say. Only prod is protected (infra/stage.go).
STAGE ?= dev
CDK := node_modules/.bin/cdk
OF_STAGE = -c "stage=$$STAGE" -c build=../$(BUILD) $(CONTEXT)
synth deploy destroy: export STAGE := $(STAGE)

cdk: go
	@command -v npm >/dev/null || { echo 'the CDK needs Node.js 20 or later with npm; 22 is recommended' >&2; exit 1; }
	@cd infra && { cmp -s package-lock.json node_modules/.cashwrap-installed || \
		{ npm ci --ignore-scripts --no-audit --no-fund --loglevel=error && cp package-lock.json node_modules/.cashwrap-installed; }; }

# Without the app, which needs built functions: an account and region are prepared once, for all stages.
bootstrap: cdk ## prepare the account and region for the CDK, once: make bootstrap ACCOUNT=111122223333 AWS_REGION=eu-central-1
	@[ -n "$$ACCOUNT" ] && [ -n "$$AWS_REGION" ] || { echo 'which account and region? set ACCOUNT and AWS_REGION' >&2; exit 1; }
	@cd infra && $(CDK) bootstrap --app '' "aws://$$ACCOUNT/$$AWS_REGION"

# CONTEXT is for settings that cdk.json does not have: CONTEXT='-c account=111122223333 -c region=eu-central-1'.
synth: build cdk ## write the CloudFormation template of STAGE=dev or another, and check it and the functions' sizes
	@rm -f .build/cdk.out/*-NagReport.json
	@cd infra && $(CDK) synth --quiet $(OF_STAGE)
	@go run ./infra/check findings .build/cdk.out
	@$(if $(TRACING),,go run ./infra/check sizes $(BUILD))

deploy: build cdk ## deploy to the AWS account of the shell's credentials: make deploy STAGE=prod
	@cd infra && $(CDK) deploy $(OF_STAGE)

destroy: build cdk ## destroy a stage's stack; in prod everything that holds data stays
	@cd infra && $(CDK) destroy $(OF_STAGE)

cost: go ## what a million payments cost, from the measured capacity and list prices
	@go run ./infra/cost

sam: go ## serve the API under AWS SAM, which needs Docker, beside the running platform, on port 3000
	@go build -o bin/check ./infra/check && exec bin/check sam

deploy-check: go ## deploy to an emulator on this machine, without Docker or an AWS account, and run the demo there
	@go build -o bin/check ./infra/check && exec bin/check deploy

go:
	@command -v go >/dev/null || { echo 'Go 1.26 or later is missing: get it from https://go.dev/dl/' >&2; exit 1; }
	@go version | awk '{ split(substr($$3, 3), v, "."); if (v[1] == 1 && v[2] + 0 < 26) \
		{ print "Go 1.26 or later is needed, this is " $$3 ": get it from https://go.dev/dl/" > "/dev/stderr"; exit 1 } }'
