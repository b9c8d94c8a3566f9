# What CI runs, and what you run before a commit.

.PHONY: check test bench fuzz cross

check: cross
	@test -z "$$(gofmt -l .)" || { gofmt -l .; echo "run gofmt -w on these files"; exit 1; }
	go vet ./...
	go tool staticcheck ./...
	go mod tidy -diff
	go test -race -shuffle=on -timeout 8m ./...

# The driver has files for other systems, which no test here compiles.
cross:
	GOOS=darwin GOARCH=arm64 go vet ./...
	GOOS=windows GOARCH=amd64 go vet ./...

test:
	go test ./...

bench:
	go test -run '^$$' -bench . -benchmem ./...

# Each fuzz target for a short while.
fuzz:
	@go list -f '{{.Dir}}' ./... | while read -r dir; do \
		grep -ho 'func Fuzz[A-Za-z0-9_]*' "$$dir"/*_test.go 2>/dev/null | sed 's/func //' | while read -r name; do \
			go test -run '^$$' -fuzz "^$$name$$" -fuzztime 20s "$$dir" || exit 1; done || exit 1; done
