package accessibility

import (
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/accessibility/internal/htmlcapture"
)

func TestSearch(t *testing.T) {
	s := Build(htmlcapture.Of(t, `<h1>Save your work</h1><p>You can save it or not save it.</p><button>Save</button><button>Save as draft</button>
<button>Autosave</button><a href=/x>SAVE AS</a><input aria-label=Größe placeholder=saved><select aria-label=Mode><option>Save mode<option>b</select>
<button>Straße</button>`), nil)
	for _, tt := range []struct {
		query string
		want  []string
	}{
		{"save", []string{"Save", "SAVE AS", "Save as draft", "Save your work", "You can save it or not save it.", "Autosave", "Mode", "Größe"}},
		{"save as", []string{"SAVE AS", "Save as draft"}},
		{"DRAFT save", []string{"Save as draft"}},
		{"GRÖSSE", nil},
		{"GRÖßE", []string{"Größe"}},
		{"", nil},
		{" ,. ", nil},
		{"nowhere", nil},
	} {
		var got []string
		for _, n := range s.Search(tt.query) {
			got = append(got, n.Name)
		}
		if len(got) > len(tt.want) && len(tt.want) > 0 && strings.Contains(tt.query, " ") {
			got = got[:len(tt.want)] // then those with only one of the words
		}
		if strings.Join(got, "|") != strings.Join(tt.want, "|") {
			t.Errorf("Search(%q) = %q, want %q", tt.query, got, tt.want)
		}
	}
}

func TestText(t *testing.T) {
	long := strings.Repeat("word ", 5000) + "end"
	s := Build(htmlcapture.Of(t, `<title>T</title><h1>Head</h1><p>One <b>two</b> <a href=/x>three</a>, four.</p><div>Block</div><label>Name <input value=Ada></label>
<table><tr><th>a<td>b</table><p>`+long+`</p><p hidden>secret</p><textarea aria-label=Note>line one
line two</textarea>`), &Options{MaxTokens: 20})
	want := "Head\nOne two three, four.\nBlock\nName: Ada\na | b\n" + long + "\nNote: line one\nline two\n"
	if got := s.Text(); got != want {
		t.Errorf("Text = %q, want %q", strings.ReplaceAll(got, long, "LONG"), strings.ReplaceAll(want, long, "LONG"))
	}
}
