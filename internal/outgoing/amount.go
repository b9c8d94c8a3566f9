package outgoing

import (
	"regexp"
	"strings"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver"
)

// money finds amounts of money in a text.
var money = regexp.MustCompile(`(?:[$€£¥₹₩₽]|\b(?:USD|EUR|GBP|CHF|JPY|CNY|INR|CAD|AUD|SEK|NOK|DKK|PLN|CZK|BRL|MXN)|\bFr\.)[\s\x{00a0}]?\d|\d[\s\x{00a0}]?(?:[$€£¥₹₩₽]|(?:USD|EUR|GBP|CHF|JPY|CNY|INR|CAD|AUD|SEK|NOK|DKK|PLN|CZK|BRL|MXN|kr|zł)\b)|\d[.,]\d\d\b`)

// maxAmounts and maxAmountText bound what is shown of a page.
const (
	maxAmounts    = 12
	maxAmountText = 160
)

// Amounts are the lines with amounts of money around an element: in its form or
// dialog, else on the whole page.
func Amounts(snap *accessibility.Snapshot, node driver.NodeRef) (out []Line) {
	at, ok := snap.Nearest(node)
	if !ok {
		return nil
	}
	for i := at.Parent; i >= 0; i = snap.Nodes[i].Parent {
		if n := &snap.Nodes[i]; n.Role == "form" || n.Role == "dialog" || n.Role == "alertdialog" {
			if found := amountsIn(snap, int(i), int(n.End)); len(found) > 0 {
				return found
			}
		}
	}
	return amountsIn(snap, 0, len(snap.Nodes))
}

func amountsIn(snap *accessibility.Snapshot, first, end int) (out []Line) {
	for i := first; i < end && len(out) < maxAmounts; i++ {
		n := &snap.Nodes[i]
		text := strings.TrimSpace(n.Name + " " + n.Value)
		for _, c := range n.Cells {
			text += " " + c.Text
		}
		if money.MatchString(text) {
			out = append(out, Line{Ref: n.Ref, Text: cut(strings.Join(strings.Fields(text), " "), maxAmountText)})
		}
	}
	return out
}
