package agent

import (
	"slices"
	"testing"

	"github.com/wayfinder-engine/wayfinder/engine"
)

// TestClassesOf: what a name says, in many languages. Words that only begin
// alike, or stand in another's middle, say nothing.
func TestClassesOf(t *testing.T) {
	for class, names := range map[Class][]string{
		ClassPay: {
			"Pay now", "Buy", "Order", "Order!", "Order for €20", "Confirm order", "Place order", "Place your order – €20", "Jetzt kaufen", "Zahlungspflichtig bestellen", "Überweisung ausführen", "Acheter", "Payer 20 €", "Comprar ahora", "Pagar",
			"Finalizar compra", "Acquista", "Betalen", "Köp", "Køb nu", "Satın al", "Zapłać", "Оплатить", "Купить", "立即购买", "支付", "注文を確定する", "購入", "결제하기", "ادفع الآن", "भुगतान करें", "Thanh toán",
			"P\u00aday", "Ｐａｙ now",
		},
		ClassSend:    {"Send", "Publish", "Post comment", "Senden", "Abschicken", "Envoyer", "Enviar", "Invia", "Wyślij", "Отправить", "发送", "送信", "보내기", "Skicka", "إرسال"},
		ClassDelete:  {"Delete", "Remove item", "LÖSCHEN", "Konto löschen", "Supprimer", "Eliminar", "Excluir", "Apagar", "Usuń", "Удалить", "删除", "削除", "삭제", "حذف", "Ta bort"},
		ClassSignUp:  {"Sign up", "Create account", "Konto erstellen", "Registrieren", "S'inscrire", "Crear cuenta", "注册", "Зарегистрироваться"},
		ClassTerms:   {"I agree to the terms", "Ich stimme zu", "AGB gelesen", "Acepto los términos", "同意する", "利用規約に同意"},
		ClassConsent: {"Accept all", "Accept cookies", "Alle akzeptieren", "Tout accepter", "すべて許可", "Принять все"},
		"": {
			"Search", "Next", "Open", "Details", "Orders", "Order history", "Order by price", "Order 1003", "Weiter", "Suivant", "次へ", "Report", "Reporting", "Compose", "Display", "Abroad", "Believe in us", "Preis", "Border", "", "Ausgeben",
		},
	} {
		for _, name := range names {
			got := classesOf(name)
			if class == "" && len(got) > 0 || class != "" && !slices.Contains(got, class) {
				t.Errorf("classesOf(%q) = %v, want %q", name, got, class)
			}
		}
	}
}

// TestClassify: filling and looking need nobody's approval, whatever the element says.
func TestClassify(t *testing.T) {
	for _, c := range []struct {
		method engine.Method
		role   string
		want   bool
	}{
		{engine.Click, "button", true}, {"", "button", true}, {engine.Press, "button", true}, {engine.Check, "checkbox", true}, {engine.Click, "link", true},
		{engine.Hover, "button", false}, {engine.Fill, "textbox", false}, {engine.Click, "textbox", false}, {engine.ScrollIntoView, "button", false},
	} {
		got := ClassesOf(engine.Action{Method: c.method, Fingerprint: &engine.Fingerprint{Role: c.role, Name: "Delete"}})
		if (len(got) > 0) != c.want {
			t.Errorf("ClassesOf(%s %s \"Delete\") = %v, want a class: %v", c.method, c.role, got, c.want)
		}
	}
	if got := ClassesOf(engine.Action{Method: engine.SetInputFiles}); !slices.Contains(got, ClassUpload) {
		t.Errorf("ClassesOf(setInputFiles) = %v, want %s", got, ClassUpload)
	}
}
