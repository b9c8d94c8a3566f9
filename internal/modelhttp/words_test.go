package modelhttp

import "testing"

func TestWordsKeepsTornCharactersBack(t *testing.T) {
	var w Words
	got := w.Add("a\xf0\x9f") + "|" + w.Add("\x8c\x8d") + "|" + w.Add("\xff") + "|" + w.Add("b\xc3") + "|" + w.Flush()
	if want := "a|🌍|\xff|b|�"; got != want {
		t.Errorf("words = %q, want %q", got, want)
	}
}
