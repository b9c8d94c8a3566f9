package verdict

import "strings"

// A Kind is what a clause asks for, or what a deed is.
type Kind uint8

// The kinds. What a verb does that is in no table is a change: most tasks are one,
// and a change has to be proven by more than the others.
const (
	Change  Kind = iota // changes the site's data: orders, saves, deletes
	Open                // opens another page
	Press               // presses an element
	Enter               // enters a text into a field
	Choose              // sets an option, a box, a radio button
	Move                // drags an element
	Arrange             // searches, sorts or filters a list
	Read                // reads the page
)

// verbs are the words that begin a clause, with its kind, in English, German and
// French. Only imperatives are here, and only where they begin a clause: "order" is
// a verb in "order two cups" and none in "cancel the order". A word has its place
// for one of two reasons: its kind is not Change, so that the clause is asked for
// another deed; or it is, and begins a second clause after "and" or a comma, which
// then needs a change of its own.
var verbs = func() map[string]Kind {
	m := map[string]Kind{}
	for kind, words := range map[Kind]string{
		Open: "open go visit öffne gehe geh ouvre va visite",
		// These verbs name the gesture itself, so the clause needs that gesture.
		Press: "click press tap klicke klick drücke tippe clique appuie",
		// Where "fill" and "check" are written, the field is what is meant; "set" and
		// "enter" are goals, and have to be saved.
		Enter:   "fill type fülle remplis",
		Choose:  "choose select pick check uncheck tick untick wähle kreuze choisis sélectionne coche décoche",
		Move:    "drag ziehe glisse",
		Arrange: "search sort filter suche sortiere filtere cherche trie filtre",
		Read:    "find look read tell list report extract count compare finde lies sage-mir nenne zähle trouve lis indique compte",
		Change: "order buy book pay send write reply answer post publish submit save register sign log enter set change make put add create update " +
			"rename replace edit upload star mark lock unlock archive release insure plan accept decline cancel close delete remove take throw get " +
			"clear finish complete move turn conclude redeem report-to " +
			germanChanges + " " +
			"commande achète réserve paie envoie écris réponds publie enregistre inscris connecte-toi change mets ajoute crée modifie " +
			"renomme remplace téléverse marque verrouille déverrouille archive range assure planifie accepte refuse annule ferme supprime retire jette déplace donne fais règle",
	} {
		for _, w := range strings.Fields(words) {
			m[w] = kind
		}
	}
	return m
}()

const germanChanges = "bestelle kaufe buche bezahle sende schicke schreibe antworte veröffentliche speichere melde trage ändere setze lege füge erstelle " +
	"benenne ersetze lade markiere sperre entsperre archiviere gib versichere plane nimm sage storniere schließe lösche entferne wirf verschiebe stelle mach mache "

var germanVerbs = set(germanChanges + "öffne gehe geh drücke klicke klick fülle wähle kreuze ziehe suche sortiere filtere finde lies nenne zähle")

// joints stand between two clauses, or before the verb of one.
var joints = set("and then also please finally now afterwards next but und dann danach bitte schließlich anschließend aber et puis ensuite enfin s'il-te-plaît")

// conditions begin a part that need not come to be.
var conditions = set("if unless wenn falls sofern si sauf")

// numerals are numbers in words, up to twelve: larger ones are written in digits.
// "one" is left out, which is an article in German and French.
var numerals = map[string]string{
	"two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9", "ten": "10", "eleven": "11", "twelve": "12", "both": "2",
	"zwei": "2", "drei": "3", "vier": "4", "fünf": "5", "sechs": "6", "sieben": "7", "acht": "8", "neun": "9", "zehn": "10", "elf": "11", "zwölf": "12", "beide": "2", "beiden": "2",
	"deux": "2", "trois": "3", "quatre": "4", "cinq": "5", "sept": "7", "huit": "8", "dix": "10", "onze": "11", "douze": "12",
}

// counting are words that make a number one of things, all of them and no more;
// articles may stand between the two.
var (
	counting = set("exactly precisely all every each first last genau alle jede jeden jedes ersten letzten exactement précisément tous toutes chacun chacune premiers premières")
	articles = set("the of these those der die das den les des de ces")
)

// hours are times of day that have a name: numbers in words, as numerals are.
var hours = map[string]string{"noon": "12:00", "midday": "12:00", "midi": "12:00", "mittag": "12:00", "mittags": "12:00", "midnight": "00:00", "minuit": "00:00", "mitternacht": "00:00"}

// german are words by which a text is known to be German, where every noun has a
// capital letter: the articles, and the prepositions that others do not have.
var german = set("der die das den dem des ein eine einen einem einer und mit für von vom zum zur auf im ist nicht am beim")

// determiners stand before a German noun that is no name.
var determiners = set("der die das den dem des ein eine einen einem einer eines im am vom zum zur beim ins ans mein meine meinen dein deine kein keine keinen alle allen jede jeden jedes zwei drei vier fünf sechs sieben acht neun zehn")

// plain are capitalized words that are no names: the pronoun, currencies, which
// pages write in many ways.
var plain = set("i i'm i'll i've chf eur usd gbp fr ok")

// empty are words that say nothing of what a clause is about.
var empty = set("the a an and or of to in on at by for from with as it its this that these those there here is are be been all any some more than into onto out up off no not my me you your his her their them they he she we our us " +
	"then please button link field page der die das den dem des ein eine einen einem einer und oder von vom zu zum zur in im an am auf aus bei mit für es ihn sie ist sind nicht alle mehr als " +
	"le la les l un une des du de d et ou à au aux en dans sur pour par avec ce cette ces il elle est sont ne pas plus que qui")
