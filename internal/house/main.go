// Command house measures the packages of this module and fails where one has
// outgrown its limits.
//
//	go run ./internal/house                     # the table, and which limits are broken
//	go run ./internal/house -arrows ./engine    # the order of a package's files, and what runs against it
//	go run ./internal/house -names ./engine     # names without a doc comment or an example
//
// The columns of the table:
//
//	files     .go files without tests, those of other systems included
//	median    lines of the median file
//	longest   lines of the longest file
//	arrows    pairs of files of which one uses what the other declares
//	up        arrows that run up, against the best order of the files
//	undoc     exported names without a doc comment, of their own or of an interface
//	examples  runnable examples: with an output that the test compares
//	unshown   exported names that no example mentions
//
// An arrow goes from file A to file B if A mentions anything that B declares: a
// function, a type, a variable, a constant, a method or a field. The receiver
// of a method is not counted: a method belongs to its type, wherever it stands.
//
// Files are laid out so that as few arrows as possible run up. First come the
// strongly connected components, each above what it uses. Within a component
// there is no order without an arrow that runs up: the files are put into one by
// the rule of Eades, Lin and Smyth, and then moved one at a time for as long as
// that saves an arrow. What then points to a file above is counted. Without a
// cycle of files the figure is 0. It does not depend on file names, except where
// two orders are equally good.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
)

func main() {
	arrows := flag.Bool("arrows", false, "show the order of the files and the arrows that run up")
	names := flag.Bool("names", false, "show the names without a doc comment or an example")
	flag.Parse()
	if err := run(os.Stdout, flag.Args(), *arrows, *names); err != nil {
		fmt.Fprintln(os.Stderr, "house:", err)
		os.Exit(1)
	}
}

func run(w io.Writer, patterns []string, arrows, names bool) error {
	whole := len(patterns) == 0
	if whole {
		patterns = []string{"./..."}
	}
	rooms, err := load(patterns)
	if err != nil {
		return err
	}
	if err := table(w, rooms); err != nil {
		return err
	}
	for _, r := range rooms {
		if arrows {
			showArrows(w, r)
		}
		if names {
			showNames(w, r)
		}
	}
	broken, loose := judge(rooms, whole)
	for _, s := range loose {
		fmt.Fprintln(w, "can be lowered:", s)
	}
	for _, s := range broken {
		fmt.Fprintln(w, "broken:", s)
	}
	if len(broken) > 0 {
		return fmt.Errorf("%d limits are broken: see internal/house/limits.go", len(broken))
	}
	return nil
}

// table prints one line for each package.
func table(w io.Writer, rooms []*room) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tw, "package\tfiles\tmedian\tlongest\tarrows\tup\tundoc\texamples\tunshown\t")
	for _, r := range rooms {
		examples, unshown := fmt.Sprint(r.Examples), fmt.Sprint(len(r.Unshown))
		if !r.Public {
			examples, unshown = "", ""
		}
		fmt.Fprintf(tw, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%s\t%s\t\n",
			r.Folder, len(r.Files), r.median(), r.longest().Lines, r.Arrows, len(r.Up), len(r.Undocumented), examples, unshown)
	}
	return tw.Flush()
}

func showArrows(w io.Writer, r *room) {
	fmt.Fprintf(w, "\n%s, from the top:\n", r.Folder)
	for _, f := range r.Order {
		fmt.Fprintf(w, "  %s\n", f)
	}
	for _, a := range r.Up {
		fmt.Fprintf(w, "  up: %s -> %s: %s\n", a.From, a.To, strings.Join(a.Names, ", "))
	}
}

func showNames(w io.Writer, r *room) {
	fmt.Fprintf(w, "\n%s\n", r.Folder)
	for _, name := range r.Undocumented {
		fmt.Fprintf(w, "  no doc comment: %s\n", name)
	}
	if r.Public {
		for _, name := range r.Unshown {
			fmt.Fprintf(w, "  no example: %s\n", name)
		}
	}
}
