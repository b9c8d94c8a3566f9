// Package offline is a model that needs no network, no key and no weights. It
// is a word matcher and no language model: it knows the verbs that people
// use for pages, finds the words of an instruction among the names in the
// outline, and answers in the form that was asked for.
//
//	session, err := engine.Open(ctx, cdp.Launch{}, &engine.Options{Model: offline.New()})
//
// It serves where an instruction names what stands on the page: in tests, in
// demonstrations, on machines without a network, and wherever the same input
// must always give the same answer.
//
// # Act
//
// A verb and a name:
//
//	click Sign in                       click the second "Add to cart" button
//	type %email% into E-mail            set Delivery date to 2026-12-18
//	choose Norway in Country            select Map case and Lens cloth in Extras
//	check Gift wrap                     upload list.txt to Packing list
//	press Enter in Search the shop      scroll to the end
//	click Remove in Meridian compass    drag Task one to Done
//
// A name fits if it is the same, ignoring case and punctuation; else if it
// holds all the words; else if they are all in it but for a slip of the pen. A word
// that the name does not have is never passed over, and a name that says the
// opposite ("log out" for "log in") never fits. Quotes keep words together,
// %placeholders% stay as they are. If several elements fit equally
// well the answer is that none was found, with the candidates: it never guesses.
//
// Up to three things may be asked for at once, and are done in order:
//
//	type Ada into First name, then press Enter
//	fill First name with Ada and Last name with Lovelace
//
// Each of them must be there to be done before the first is. If one is not, or
// if the instruction can be read in two ways, nothing is done. A list that
// shows its options only once it is open is opened first, then chosen from.
//
// # Extract
//
// Without a schema it quotes the one text of the page that the instruction names:
// the definition of a term, the value of a control, the heading, what a part of
// the page says. It cannot sort, compare or conclude, and refuses instructions
// that ask for that. It fills no schema: Page.Extract of package engine reads what the
// page's own markup structures without asking a model, and leaves the rest open.
//
// # Tasks
//
// A turn of an agent is answered with one tool call. The task is a sentence of
// steps, each of which begins with a verb:
//
//	log in as ada with password %password%, open Orders, cancel the order 1003
//
// Beside what an act takes, a step may name a thing instead of a control: the
// button Cancel is taken that stands with 1003. What no step says is not done,
// and what cannot be done ends the task with success false. It holds nothing
// between two turns: the conversation alone says how far the task is, by the IDs
// of its calls.
//
// Other requests with tools, and those with pictures alone, are refused with an error of
// kind unsupported.
package offline
