package agent

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"github.com/wayfinder-engine/wayfinder/engine"
)

// A Class is a kind of action that somebody may have to approve.
type Class string

// The classes.
const (
	ClassPay     Class = "pay"     // buys, orders, transfers money
	ClassSend    Class = "send"    // sends or publishes something to others
	ClassDelete  Class = "delete"  // deletes data, or changes what cannot be brought back
	ClassSignUp  Class = "signup"  // makes an account
	ClassTerms   Class = "terms"   // accepts terms and agreements
	ClassConsent Class = "consent" // gives or takes consent, as to cookies and tracking
	ClassUpload  Class = "upload"  // gives a file away
	ClassLeave   Class = "leave"   // goes to a host that is not allowed
	// ClassConsequential is what changes something at a server and no word says what: a
	// request that is not to read, and tools of a page that say so of themselves; always
	// asked about.
	ClassConsequential Class = "consequential"

	// ClassFlow takes what was read at one site to another: [Config].Flows decides whether
	// it is asked about.
	ClassFlow Class = "flow"

	ClassSafety Class = "safety" // the vendor's own safety checks warn of it; always asked about
)

// Classes lists all of them.
func Classes() []Class {
	return []Class{ClassPay, ClassSend, ClassDelete, ClassSignUp, ClassTerms, ClassConsent, ClassUpload, ClassLeave, ClassConsequential, ClassFlow, ClassSafety}
}

// An Approval is an action that has to be approved before it is done.
type Approval struct {
	Classes []Class `json:"classes"`
	Tool    string  `json:"tool"`
	// Action is what the page would get; it is empty for tools that do not
	// touch an element.
	Action engine.Action `json:"action,omitzero"`
	// PageURL is where it would be done, Target where it would lead if that is known.
	PageURL string `json:"pageUrl"`
	Target  string `json:"target,omitempty"`
	// Reason is the model's own text beside the call. Nothing verifies it. It is empty
	// where the model gave none.
	Reason string `json:"reason,omitempty"`
	// Arguments are those of a tool of the program or of a server, with placeholders
	// for variables.
	Arguments json.RawMessage `json:"arguments,omitempty"`
	// Described is what a page says of the tool of its own that would be called: the
	// page's word.
	Described string `json:"described,omitempty"`

	// Flows are the values that it takes to another site.
	Flows []Flow `json:"flows,omitempty"`

	// Run is the run's ID, Task its instruction, Step the number of the step.
	Run  string `json:"run,omitempty"`
	Task string `json:"task,omitempty"`
	Step int    `json:"step,omitempty"`

	// Outgoing is what leaves the browser by it, where that is known: what the
	// form says that is pressed or, with Held, a request that is held at the
	// gate until this is answered. Values of variables are placeholders. An
	// approval is for exactly that: it goes out once, and what differs is asked
	// about again. It is of actions of the classes pay, send, delete and signup.
	Outgoing *engine.Outgoing `json:"outgoing,omitempty"`
	// Differences say in what a held request is another one than the approved.
	Differences []string `json:"differences,omitempty"`
	// Unbound reports that the browser cannot hold requests, so that what leaves
	// it may be another thing than Outgoing.
	Unbound bool `json:"unbound,omitempty"`
}

// An Approver decides about an action: nil approves this one. Any error refuses
// it, and the model gets its text; [ErrLater] ends the run until somebody has
// decided. It is asked one question at a time. A request that is held waits for
// it, for [Config].HoldLimit at most, and then does not go out.
type Approver func(ctx context.Context, a Approval) error

// words are those that name what pressing an element does, by class. A word
// counts where it begins a word of the element's name, a phrase where it stands
// there whole, and a word after "=" where it is the whole name.
var words = map[Class][]string{
	ClassPay: {
		"pay", "buy", "purchase", "=order", "order now", "order for", "order and pay", "place order", "place your order", "submit order", "confirm order", "complete order", "finish order", "checkout now", "subscribe", "donate", "transfer", "book now", "bid",
		"bezahl", "kaufen", "zahlungspflichtig", "bestellen", "bestellung abschicken", "bestellung abschließen", "überweis", "spenden", "payer", "acheter", "commander", "pagar", "comprar", "realizar pedido",
		"paga", "acquista", "ordina", "betalen", "kopen", "bestel", "zapłać", "kupuj", "kup teraz", "支付", "付款", "购买", "下单", "購入", "注文を確定", "支払", "결제", "구매", "оплат", "купить", "заказать",
		"finalizar compra", "encomendar", "transferir", "köp", "betala", "køb", "betal", "kjøp", "maksa", "satın al", "ödeme", "öde", "siparişi", "kup ", "zaplatit", "koupit", "плат", "сплат", "ادفع", "شراء", "اشتر", "שלם", "קנה", "भुगतान", "खरीद", "ชำระ", "ซื้อ", "thanh toán", "mua ", "bayar", "beli ",
	},
	ClassSend: {
		"send", "publish", "post", "reply", "tweet", "share", "comment", "submit message", "invite", "forward",
		"senden", "abschicken", "veröffentlich", "antworten", "teilen", "kommentier", "einladen", "envoyer", "publier", "répondre", "partager", "enviar", "publicar", "responder", "compartir",
		"invia", "pubblica", "rispondi", "condividi", "verstuur", "verzend", "wyślij", "opublikuj", "发送", "发布", "回复", "送信", "公開", "返信", "보내기", "게시", "отправить", "опублик",
		"partilhar", "compartilhar", "skicka", "publicera", "lähetä", "julkaise", "gönder", "yayınla", "paylaş", "odeslat", "надіслати", "إرسال", "أرسل", "نشر", "שלח", "פרסם", "भेजें", "ส่ง", "gửi", "kirim",
	},
	ClassDelete: {
		"delete", "remove", "erase", "discard", "destroy", "wipe", "purge", "close account", "deactivate", "cancel order", "cancel subscription", "overwrite", "reset",
		"löschen", "lösche", "entfernen", "verwerfen", "kündigen", "stornieren", "supprimer", "effacer", "eliminar", "borrar", "elimina", "cancella", "rimuovi", "verwijder", "usuń", "skasuj",
		"删除", "移除", "削除", "삭제", "удалить", "стереть",
		"excluir", "apagar", "remover", "ta bort", "radera", "slet", "slett", "poista", "sil ", "smazat", "odstranit", "видалити", "حذف", "מחק", "हटाएं", "ลบ", "xóa", "hapus",
	},
	ClassSignUp: {
		"sign up", "signup", "create account", "create an account", "register", "join now", "open account",
		"registrier", "konto erstellen", "konto anlegen", "s'inscrire", "inscription", "créer un compte", "registrarse", "crear cuenta", "registrati", "crea account", "registreren", "zarejestruj",
		"注册", "登録", "会員登録", "가입", "зарегистр",
	},
	ClassTerms: {
		"i agree", "agree", "accept terms", "accept the terms", "terms of service", "terms and conditions", "terms of use", "i accept",
		"agb", "nutzungsbedingungen", "ich stimme zu", "zustimmen", "einverstanden", "j'accepte les conditions", "conditions générales", "acepto los términos", "términos y condiciones", "accetto i termini",
		"algemene voorwaarden", "akceptuję regulamin", "同意", "利用規約", "약관", "соглас",
	},
	ClassConsent: {
		"accept all", "accept cookies", "allow all", "allow cookies", "allow tracking", "consent", "cookies", "unsubscribe", "opt in", "opt out",
		"alle akzeptieren", "cookies akzeptieren", "einwillig", "tout accepter", "accepter les cookies", "aceptar todo", "aceptar cookies", "accetta tutti", "accetta i cookie", "alles accepteren",
		"接受所有", "すべて許可", "모두 허용", "принять все",
	},
}

// ClassesOf says to which classes an action belongs, by the words of its element:
// its Fingerprint. It errs to the side of more. What stands around the element,
// as a dialog's question, is not known to it.
func ClassesOf(a engine.Action) []Class {
	switch {
	case a.Method == engine.SetInputFiles:
		return []Class{ClassUpload}
	case a.Method.Prepares(), a.Fingerprint == nil:
		return nil
	}
	switch a.Fingerprint.Role {
	case "textbox", "searchbox", "combobox", "listbox", "slider", "spinbutton", "tab":
		if a.Method != engine.Press {
			return nil
		}
	}
	return classesOf(a.Fingerprint.Name)
}

// classesOf says which classes the words of a name belong to.
func classesOf(name string) []Class {
	name = strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Cf, r): // a soft hyphen, a joiner: nobody sees it
			return -1
		case r >= '！' && r <= '～': // full width
			return r - '！' + '!'
		}
		return r
	}, name)
	name = spaced(name)
	var out []Class
	for _, c := range Classes() {
		if slices.ContainsFunc(words[c], func(w string) bool { return says(name, w) }) {
			out = append(out, c)
		}
	}
	return out
}

// says reports whether a word begins a word of the name. Scripts that put no
// space between words have it anywhere.
func says(name, word string) bool {
	if whole, ok := strings.CutPrefix(word, "="); ok {
		return name == " "+whole+" "
	}
	if word[0] >= 0x80 && !strings.ContainsAny(word, " abcdefghijklmnopqrstuvwxyz") && word > "\u3000" {
		return strings.Contains(name, word)
	}
	return strings.Contains(name, " "+word)
}

// spaced is a name in lower case, with one space before, between and after its words.
func spaced(name string) string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return strings.ContainsRune(" \t\n.,:;!?()[]/|\"“”„\u00a0…-–", r) })
	return " " + strings.Join(words, " ") + " "
}

// declining are words of buttons that refuse what a dialog asks.
var declining = []string{
	"cancel", "no", "close", "back", "not now", "keep", "dismiss", "abbrechen", "nein", "schließen", "zurück", "annuler", "non", "fermer", "cancelar", "cerrar", "fechar", "voltar",
	"annulla", "chiudi", "annuleren", "nee", "anuluj", "nie", "取消", "关闭", "キャンセル", "閉じる", "いいえ", "취소", "닫기", "отмен", "нет", "закрыть", "avbryt", "iptal", "hayır", "إلغاء",
}

// declines reports whether a button refuses what its dialog asks.
func declines(name string) bool {
	name = spaced(name)
	return slices.ContainsFunc(declining, func(w string) bool {
		return strings.HasPrefix(name, " "+w+" ") || w > "\u3000" && strings.Contains(name, w)
	}) ||
		strings.TrimSpace(name) == "" || strings.TrimSpace(name) == "×"
}
