# What CI runs, and what you run before a commit.

# Published clients, linters and generators from npm, against the command and the service's
# description. Where npm cannot be reached, each test is skipped and says so.
clients:
	WAYFINDER_NPM=1 go test -count=1 -v -timeout 20m -run 'Published' -skip Libraries ./cmd/wayfinder

# The chores of component libraries from npm, by ref, by locator, by stored action and by
# words, and stored actions beside Playwright's locators. LIBRARY='^mui' is those alone.
LIBRARY =
libraries:
	WAYFINDER_NPM=1 go test -count=1 -v -timeout 40m -run 'PublishedLibraries|StoredActionsOfSites' ./cmd/wayfinder -library '$(LIBRARY)'

# Needless questions of approvals in foreign applications from npm.
questions:
	WAYFINDER_NPM=1 go test -count=1 -v -timeout 20m -run TestQuestionsOfApplications ./agent

.PHONY: apidiff check vetted clients libraries questions browserless mutants pictures release site stress test race bench bench-compare bench-fleet benchmarks fuzz cross

# What links the vendors' SDKs, and SQLite. To compile those takes minutes, for each system
# and for the race detector: check does it once, cross and race do it all.
space := $(subst ,, )
VENDORS = /(agent/runs/sqlite|cmd/wayfinder|examples|internal/transcript|llm/internal|$(subst $(space),|,$(patsubst %/go.mod,%,$(wildcard llm/*/go.mod))))(/|$$)
# The core is the root module; what needs heavy dependencies has modules of its own.
MODULES = $(shell go list -m -f '{{.Dir}}')
ALL = $(shell go list work)
OURS = $(shell go list work | grep -vE '$(VENDORS)')
# What computes and starts nothing: there is no race to find, and much to go through.
PURE = ./accessibility/... ./internal/direct ./internal/grounding ./internal/pagedata ./llm/offline ./schema
# What takes longest begins first, and the others go on beside it.
LONGEST = ./driver/cdp ./engine ./agent ./agent/script ./server/runs ./agent/program/internal/killed ./fleet/jetstream
CONCURRENT = $(LONGEST) $(shell go list work | grep -vE '$(VENDORS)|/(accessibility(/.*)?|internal/(direct|grounding|pagedata)|llm/offline|schema|$(subst $(space),|,$(patsubst ./%,%,$(LONGEST))))$$')
# What asks for a browser, or sweeps in memory (see internal/chrometest).
BROWSED = $(shell grep -rlE --include='*_test.go' 'internal/chrometest"|driver/cdp"' . | xargs -n1 dirname | sort -u | grep -v '^\.$$') ./llm/llmtest
# Of those, what another command runs whole without the race detector.
WHOLE = ^\./(accessibility(/.*)?|internal/(direct|grounding|tools/.*)|cmd/.*|examples(/.*)?|agent/anthropicbrowser|llm/.*)$$
# What sweeps on Chrome for what pages do, and not for races. The race detector gets a part.
SWEEPS = TestTraps/././chrome|TestStrikes|TestFaultSweepOnChrome|TestSuiteOnChrome
LINKED = $(shell go list work | grep -E '$(VENDORS)')

# README's second command leaves out what takes long; these do not.
check clients libraries stress race fuzz mutants: export WAYFINDER_TESTS = all

check: vetted browserless
	@echo "tests of what links the vendors' SDKs, and of what computes alone"; go test -timeout 20m $(LINKED) $(PURE)
	@echo "sweeps on Chrome"; go test -timeout 20m -run '$(SWEEPS)' ./engine ./agent
	@echo "tests, with the race detector"; go test -race -timeout 40m $(CONCURRENT)

vetted:
	@test -z "$$(gofmt -l .)" || { gofmt -l .; echo "run gofmt -w on these files"; exit 1; }
	@echo "vet"; go vet $(ALL)
	@echo "vet for macOS"; GOOS=darwin GOARCH=arm64 go vet $(OURS)
	@echo "vet for Windows"; GOOS=windows GOARCH=amd64 go vet $(OURS)
	@echo "staticcheck"; go tool staticcheck $(ALL)
	@echo "each module's requirements"; for m in $(MODULES); do (cd $$m && GOWORK=off go mod tidy -diff) || exit 1; done

# The tests that ask for a browser, where none is found: skipped, and green. Those in
# memory are run, and sweeps whole, of which the race detector gets a part.
browserless: export WAYFINDER_CHROME = /nonexistent
browserless: export WAYFINDER_REQUIRE_CHROME = 0
browserless:
	@echo "tests without a browser, and sweeps in memory"
	WAYFINDER_TESTS= go test -timeout 10m $$(echo $(BROWSED) | tr ' ' '\n' | grep -E '$(WHOLE)')
	WAYFINDER_TESTS=all go test -timeout 20m $$(echo $(BROWSED) | tr ' ' '\n' | grep -vE '$(WHOLE)')

# The tests of the engine and the drivers, three times, beside four loops that
# take the processors away from them. The loops end with the tests, or after a
# time, and a test that asks how fast the machine is fails here.
STRESS_LOOPS = 4
STRESS_RUNS = 3
stress:
	@loops=""; trap 'kill $$loops 2>/dev/null; wait' EXIT; trap 'exit 1' INT TERM; \
	for i in $$(seq $(STRESS_LOOPS)); do timeout 3600 sh -c 'while :; do :; done' & loops="$$loops $$!"; done; \
	go test -count=$(STRESS_RUNS) -shuffle=on -timeout 50m ./engine ./driver/...

# The driver and the command have files for other systems, which no test here runs.
cross:
	GOOS=darwin GOARCH=arm64 go vet work
	GOOS=windows GOARCH=amd64 go vet work

race:
	go test -race -shuffle=on -timeout 15m work

test:
	go test work

# One table: what programs do all the time, beside the bare protocol in the same
# run. About four minutes; ONLY="unchanged" measures the rows of that name. Where the
# machine has other work it prints no table: go run ./bench -loaded does.
bench:
	@go run ./bench -only "$(ONLY)"

# The same, of another revision and of this tree, compared by benchstat.
bench-compare:
	@test -n "$(BASE)" || { echo "make bench-compare BASE=<revision> [ONLY=<row>]"; exit 2; }
	@dir=$$(mktemp -d) && trap 'git worktree remove --force "$$dir/base"; rm -rf "$$dir"' EXIT && \
	git worktree add -q --detach "$$dir/base" "$(BASE)" && \
	{ test -f "$$dir/base/bench/main.go" || { mkdir -p "$$dir/base/bench" && cp bench/*.go "$$dir/base/bench"; }; } && \
	(cd "$$dir/base" && go run ./bench -samples -only "$(ONLY)") > "$$dir/base.txt" && \
	go run ./bench -samples -only "$(ONLY)" > "$$dir/new.txt" && \
	go tool benchstat "$$dir/base.txt" "$$dir/new.txt"

# Several nodes on loopback, each a process with its browsers in memory, and one
# table of it: what routing costs, how many sessions and acts there can be, what
# becomes of runs when nodes are killed or restarted, and of sessions whose owners
# are stopped, cut off and have their clocks set; and a day of 1,000 nodes, simulated.
# Ten minutes where nothing else runs; ONLY=load, kill, leader, roll, lease or
# simulation is one part.
bench-fleet:
	@go run ./bench/fleet -only "$(ONLY)"

# Every benchmark of every package.
benchmarks:
	go test -run '^$$' -bench . -benchmem work

# Each fuzz target for a short while, and random acts with a new seed.
fuzz:
	go test ./engine -run Random -random.seed=0 -random.acts=20000
	go test ./engine -run TestTraps -traps.all -timeout 30m
	go test ./driver/cdp -run TestPageThatNeverEndsIsLeft -ways.all
	go test ./agent -run TestSuiteOnChrome -suite.all -timeout 30m
	go test ./agent/program -run TestChoresOnChrome -chores.all
	go test ./agent -run 'FaultSweep|TestWindow' -sweep.all
	go test ./agent/program/internal/killed -run Kill -sweep.all -timeout 30m
	go test ./agent/script -run Kill -sweep.all -timeout 30m
	go test ./server/runs -run Killed -sweep.all -timeout 30m
	go test ./llm/openai ./llm/anthropic ./llm/google -run ComputerKilled -sweep.all -timeout 30m
	go test ./accessibility/axtree -run Hostile -hostile.depth=100000
	go test ./accessibility -run TestDeep -deepest=100000
	@go list -f '{{.Dir}}' work | while read -r dir; do \
		grep -ho 'func Fuzz[A-Za-z0-9_]*' "$$dir"/*_test.go 2>/dev/null | sed 's/func //' | while read -r name; do \
			go test -run '^$$' -fuzz "^$$name$$" -fuzztime 20s "$$dir" || exit 1; done || exit 1; done

# Breaks the code in one place after another: what no test notices is printed. It
# takes the better part of an hour.
mutants:
	go run ./internal/mutation

# The pages of docs/ as a site below SITE, by Hugo (the system's package, from 0.111 on),
# and every link of it followed.
SITE = public
site:
	hugo --source site --destination $(abspath $(SITE)) --cleanDestinationDir --quiet
	WAYFINDER_REQUIRE_HUGO=1 go test -count=1 -run 'TestSite|TestLinks' .

# The pictures of the README, from the demo's shop.
pictures:
	go run ./bench/pictures docs/pictures

# Prepares a version without pushing anything: tags of all modules, and below DIST the
# archives, SBOMs, checksums and notes. TARGETS=linux/amd64 builds for that system alone.
DIST = dist
release:
	@test -n "$(VERSION)" || { echo "make release VERSION=v0.1.0 [TARGETS=linux/amd64,…]"; exit 2; }
	go run ./internal/tools/release -out $(DIST) $(if $(TARGETS),-targets $(TARGETS)) $(VERSION)

# Incompatible changes of the Go packages since BASE, which is the last release. It names
# them and fails on none: before 1.0 they are allowed, and belong into CHANGELOG.md.
BASE_API = $(or $(BASE),$(shell git describe --tags --abbrev=0 --match 'v*' 2>/dev/null))
apidiff:
	@test -n "$(BASE_API)" || { echo "there is no release to compare with: make apidiff BASE=<revision>"; exit 0; } && \
	dir=$$(mktemp -d) && trap 'git worktree remove --force "$$dir/base"; rm -rf "$$dir"' EXIT && \
	git worktree add -q --detach "$$dir/base" "$(BASE_API)" && go build -o "$$dir/apidiff" golang.org/x/exp/cmd/apidiff && \
	for folder in . $$(sed -n 's/^\t\.\/\(.*\)/\1/p' "$$dir/base/go.work" | grep -vE '^(bench|examples|internal/.*|llm/internal/.*)$$'); do \
		for package in $$(cd "$$dir/base/$$folder" && go list -f '{{if ne .Name "main"}}{{.ImportPath}}{{end}}' ./... | grep -v /internal/); do \
			at=$${package#github.com/wayfinder-engine/wayfinder}; test -d ".$$at" || { echo "$$package is gone"; continue; }; \
			(cd "$$dir/base/$$folder" && "$$dir/apidiff" -w "$$dir/old" $$package) || exit 1; \
			"$$dir/apidiff" -incompatible "$$dir/old" $$package | sed "s|^|$$package: |"; \
		done; \
	done
