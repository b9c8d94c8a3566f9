package program

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
)

// A paper is a world of one page that does nothing and notes what it should do.
type paper struct {
	page  *engine.Page
	done  []string
	after func(tool string) (*step, error) // nil: each step is done
}

func (p *paper) Do(_ context.Context, tool string, arguments map[string]any) (*step, error) {
	raw, err := json.Marshal(arguments)
	if err != nil {
		return nil, err
	}
	p.done = append(p.done, tool+string(raw))
	if p.after != nil {
		return p.after(tool)
	}
	return &step{Number: len(p.done), Text: "done"}, nil
}

func (p *paper) Read(ctx context.Context) (*view, error) {
	snap, err := p.page.Snapshot(ctx, nil)
	if err != nil {
		return nil, err
	}
	return &view{Snapshot: snap, Address: p.page.URL(), Hide: p.page.Session().Hide, Variables: []string{"password"}}, nil
}

const table = `<title>Orders</title><h1>Orders</h1><table><thead><tr><th>Number<th>Customer<th>Total<th>Action</tr></thead><tbody>
<tr><td>1<td><a href="/c/1">Ada</a> (new)<td>CHF 1'200.50<td><button>Delete</button></tr>
<tr><td>2<td><a href="/c/2">Bob</a><td>CHF 80.00<td><button>Delete</button></tr>
<tr><td>3<td>Cleo<td>CHF 19.50<td><button disabled>Delete</button></tr></tbody></table>
<label>Note <input value="%password%"></label><label>Paid <input type=checkbox checked></label><button>Save</button><button>×</button>`

// onPaper opens a page for programs.
func onPaper(t testing.TB, html string) *paper {
	t.Helper()
	session, err := engine.Open(t.Context(), fake.Web{"https://site.test/": html}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	if _, err := session.Page().Navigate(t.Context(), "https://site.test/", nil); err != nil {
		t.Fatal(err)
	}
	return &paper{page: session.Page()}
}

// ref is that of an element as a program names it.
func (p *paper) ref(t testing.TB, role, name string, nth int) string {
	t.Helper()
	snap, err := p.page.Snapshot(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range snap.Nodes {
		if n := &snap.Nodes[i]; string(n.Role) == role && n.Name == name {
			if nth--; nth < 0 {
				return fmt.Sprintf("%q", n.Ref)
			}
		}
	}
	t.Fatalf("there is no %s %q", role, name)
	return ""
}
