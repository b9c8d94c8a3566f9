# What CI runs, and what you run before a commit.

.PHONY: check house browserless mutants stress test race bench bench-compare bench-fleet benchmarks fuzz cross

# What links the vendors' SDKs, and SQLite. To compile those takes minutes, for each system
# and for the race detector: check does it once, cross and race do it all.
VENDORS = /(agent/runs/sqlite|cmd/wayfinder|examples|internal/transcript|llm/(anthropic|azure|bedrock|google|microsoft|openai|vertex|internal))(/|$$)
ALL = $(shell go list ./...)
OURS = $(shell go list ./... | grep -vE '$(VENDORS)')
# What computes and starts nothing: there is no race to find, and much to go through.
PURE = ./accessibility/... ./schema
# What takes longest begins first, and the others go on beside it.
CONCURRENT = ./engine $(shell go list ./... | grep -vE '$(VENDORS)|/(accessibility(/.*)?|engine|schema)$$')
LINKED = $(shell go list ./... | grep -E '$(VENDORS)')

check:
	@test -z "$$(gofmt -l .)" || { gofmt -l .; echo "run gofmt -w on these files"; exit 1; }
	@echo "vet"; go vet $(ALL)
	@echo "vet for macOS"; GOOS=darwin GOARCH=arm64 go vet $(OURS)
	@echo "vet for Windows"; GOOS=windows GOARCH=amd64 go vet $(OURS)
	@echo "staticcheck"; go tool staticcheck $(ALL)
	@echo "the size of packages"; $(MAKE) --no-print-directory house
	go mod tidy -diff
	@echo "tests of what links the vendors' SDKs, and of what computes alone"; go test -timeout 10m $(LINKED) $(PURE)
	@echo "tests, with the race detector"; go test -race -timeout 15m $(CONCURRENT)

# How large the packages are, and which of them are larger than they may be.
house:
	@go run ./internal/house

# The tests that ask for a browser, where none is found: skipped, and green.
browserless:
	WAYFINDER_CHROME=/nonexistent go test -timeout 10m $$(grep -rlE --include='*_test.go' '_REQUIRE_CHROME|driver/cdp"' . | xargs -n1 dirname | sort -u | grep -v '^\.$$') ./llm/llmtest

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
	GOOS=darwin GOARCH=arm64 go vet ./...
	GOOS=windows GOARCH=amd64 go vet ./...

race:
	go test -race -shuffle=on -timeout 15m ./...

test:
	go test ./...

# One table: what programs do all the time, beside the bare protocol in the same
# run. About three minutes where nothing else runs; ONLY="unchanged" measures the
# rows of that name.
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
	go test -run '^$$' -bench . -benchmem ./...

# Each fuzz target for a short while, and random acts with a new seed.
fuzz:
	go test ./engine -run Random -random.seed=0 -random.acts=20000
	go test ./engine -run TestTraps -traps.all -timeout 30m
	go test ./driver/cdp -run TestPageThatNeverEndsIsLeft -ways.all
	go test ./agent -run TestSuiteOnChrome -suite.all -timeout 30m
	go test ./agent/program -run TestChoresOnChrome -chores.all
	go test ./agent -run 'FaultSweep|TestWindow' -sweep.all
	go test ./agent/runs -run Kill -sweep.all -timeout 30m
	go test ./agent/script -run Kill -sweep.all -timeout 30m
	go test ./server/runs -run Killed -sweep.all -timeout 30m
	go test ./llm/openai ./llm/anthropic ./llm/google -run ComputerKilled -sweep.all -timeout 30m
	go test ./accessibility/axtree -run Hostile -hostile.depth=100000
	go test ./accessibility -run TestDeep -deepest=100000
	@go list -f '{{.Dir}}' ./... | while read -r dir; do \
		grep -ho 'func Fuzz[A-Za-z0-9_]*' "$$dir"/*_test.go 2>/dev/null | sed 's/func //' | while read -r name; do \
			go test -run '^$$' -fuzz "^$$name$$" -fuzztime 20s "$$dir" || exit 1; done || exit 1; done

# Breaks the code in one place after another: what no test notices is printed. It
# takes the better part of an hour.
mutants:
	go run ./internal/mutation
