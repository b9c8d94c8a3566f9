package sites

import "slices"

// Goals are tasks that say what a person wants in words of their own, in English,
// German and French, and not in those of the page. The rules that judge a run were
// written after them.
func Goals() []Task {
	return slices.Concat(shopGoals(), mailGoals(), adminGoals(), calendarGoals(), otherGoals())
}

func shopGoals() []Task {
	return []Task{
		task("goal/call-off", newShop, "/", "I changed my mind about the six glasses. Call that order off.").
			clicks("link: Orders", "row: 1002 / button: Cancel").
			did("the order of the glasses is canceled", step(-1)).
			want("canceled order 1002"),
		task("goal/zwei-sencha", newShop, "/", "Bestelle zwei Packungen Sencha an Bob, Dorfgasse 5, Chur.").
			clicks("link: Teas", "link: Sencha").
			turn(fill("spinbutton: Quantity", "2"), click("button: Add to cart")).
			clicks("link: Checkout").
			turn(deliverTo("Bob", "Dorfgasse 5", "Chur"), click("button: Place order")).
			did("zwei Sencha sind bestellt", ordered()...).
			want("order 1004: 2 × Sencha: CHF 99.20 to Bob, Dorfgasse 5, Chur by post"),
		task("goal/theiere", newShop, "/", "Mets une théière « Travel teapot » bleue dans le panier, puis passe la commande pour Marc, Rue du Lac 3, Genève.").
			clicks("link: Travel teapot").
			turn(choose("combobox: Color", "blue"), click("button: Add to cart")).
			clicks("link: Checkout").
			turn(deliverTo("Marc", "Rue du Lac 3", "Genève"), click("button: Place order")).
			did("la théière est commandée", ordered()...).
			want("order 1004: 1 × Travel teapot blue: CHF 34.30 to Marc, Rue du Lac 3, Genève by post"),
		task("goal/five-stars", newShop, "/", "Give the Assam five stars and say that it is strong and malty.").
			clicks("link: Assam").
			turn(click("radio: 5 stars"), fill("textbox: Your review", "Strong and malty"), click("button: Send review")).
			did("the Assam has five stars", says("5 stars: Strong and malty")).
			want("review of Assam: 5 stars: Strong and malty"),
		task("goal/wunsch", newShop, "/", "Setze den Samovar auf die Wunschliste.").
			clicks("link: Samovar", "button: Add to wish list").
			did("der Samovar ist auf der Wunschliste", says("wish: Samovar")).
			want("wish: Samovar"),
	}
}

func mailGoals() []Task {
	return []Task{
		task("goal/late", newMail, "/", "Let carol@post.test know that they should start without me. The subject is Late.").
			clicks("link: Write").
			turn(form("textbox: To", "carol@post.test", "textbox: Subject", "Late", "textbox: Text", "Please start without me."), click("button: Send")).
			did("Carol knows", says("Your message was sent"), sent("POST", "/send")).
			want("sent to carol@post.test: Late: Please start without me."),
		task("goal/gewinn", newMail, "/", "Wirf die Nachricht von Lucky Prize weg.").
			clicks("link: You have won", "button: Delete").
			did("die Nachricht ist im Papierkorb", step(-1)).
			want("You have won: Inbox → Bin"),
		task("goal/photos", newMail, "/", "Range dans les archives le message de « Old friend ».").
			turn(fill("searchbox: Search mail", "Old friend"), click("button: Search")).
			clicks("link: Photos of the hike", "button: Archive").
			did("le message est archivé", sent("POST", "/move"), step(-1)).
			want("Photos of the hike: Inbox → Archive"),
		task("goal/filing", newMail, "/", "From now on everything from a sender with shop in the name should land in the archive by itself.").
			clicks("link: Rules").
			turn(form("textbox: Sender contains", "shop", "combobox: Move to", "Archive"), click("button: Add rule")).
			did("there is a rule for shop", says("from shop → Archive")).
			want("rule: from shop → Archive, read: false"),
		task("goal/stern", newMail, "/", "Markiere die Rechnung 77 mit einem Stern.").
			clicks("link: Invoice 77", "button: Star").
			did("die Rechnung 77 hat einen Stern", says("starred")).
			want("Invoice 77: star true"),
	}
}

func adminGoals() []Task {
	return []Task{
		task("goal/for-ever", newAdmin, "/users", "Get rid of the account number 2010 for ever.").
			clicks("row: 2010 / link: Edit", "link: Delete", "button: Delete for good").
			did("2010 is gone", sent("POST", "/users/2010/delete"), says("59 users")).
			want("deleted 2010"),
		task("goal/umbenennen", newAdmin, "/users", "Das Konto 2005 heißt jetzt Max Muster.").
			clicks("row: 2005 / link: Edit").
			turn(fill("textbox: Name", "Max Muster"), click("button: Save")).
			did("2005 heißt Max Muster", says("Max Muster was saved")).
			want("saved 2005: Max Muster, emil2005@console.test, Member, Basel"),
		task("goal/compte", newAdmin, "/users", "Crée un compte pour Zoé Blanc, zoe@console.test, qui habite à Zug.").
			clicks("link: New user").
			turn(form("textbox: Name", "Zoé Blanc", "textbox: Address", "zoe@console.test", "textbox: City", "Zug"), click("button: Save")).
			did("Zoé Blanc a un compte", says("Zoé Blanc was saved")).
			want("saved 2061: Zoé Blanc, zoe@console.test, Member, Zug"),
		task("goal/moved", newAdmin, "/users", "User 2007 has moved to Lugano.").
			clicks("row: 2007 / link: Edit").
			turn(fill("textbox: City", "Lugano"), click("button: Save")).
			did("2007 lives in Lugano", says("was saved"), step(-1)).
			want("saved 2007: Gus Berger, gus2007@console.test, Admin, Lugano"),
		task("goal/zwei-im-team", newAdmin, "/users", "Nimm 2003 und 2004 in das Team Operations auf.").
			clicks("link: Teams").
			turn(fill("region: Operations / textbox: Number", "2003"), click("button: Add to Operations")).
			turn(fill("region: Operations / textbox: Number", "2004"), click("button: Add to Operations")).
			did("2003 und 2004 sind im Team", sent("POST", "/teams/Operations"), says("2003"), says("2004")).
			want("2003 joins Operations", "2004 joins Operations"),
		task("goal/shut-out", newAdmin, "/users", "Bob Berger must not get in any more.").
			clicks("row: 2002 / link: Edit", "button: Lock").
			did("Bob Berger is locked out", says("State: locked")).
			want("2002 is locked"),
	}
}

func calendarGoals() []Task {
	return []Task{
		task("goal/sitzung", newCalendar, "/month/5", "Trage am 20. Mai 2026 um 15:00 eine Sitzung mit Bea in Room 2 ein.").
			clicks("link: New event").
			turn(form("textbox: Title", "Sitzung mit Bea", "date: Day", "2026-05-20", "inputtime: Time", "15:00", "combobox: Room", "Room 2"), click("button: Save")).
			did("die Sitzung ist eingetragen", says("Sitzung mit Bea is on 2026-05-20 at 15:00")).
			want("event 8: Sitzung mit Bea on 2026-05-20 at 15:00, Room 2"),
		task("goal/no-standup", newCalendar, "/month/5", "The standup is off, take it out of the calendar.").
			clicks("link: 09:00 Standup", "button: Delete").
			did("the standup is out", says("Standup was deleted")).
			want("event 1 is gone"),
		task("goal/dentiste", newCalendar, "/month/5", "Déplace le rendez-vous « Dentist » au 21 mai 2026.").
			clicks("link: 14:30 Dentist").
			turn(fill("date: Day", "2026-05-21"), click("button: Save")).
			did("le dentiste est le 21 mai", says("Dentist is on 2026-05-21")).
			want("event 2: Dentist on 2026-05-21 at 14:30, "),
		task("goal/no-no", newCalendar, "/month/5", "Say no to both invitations.").
			clicks("link: Invitations", "listitem: Summer party / button: Decline", "listitem: Budget meeting / button: Decline").
			did("both are declined", sent("POST", "/e/5/answer"), sent("POST", "/e/6/answer")).
			want("event 5: no ", "event 6: no "),
	}
}

func otherGoals() []Task {
	return []Task{
		task("goal/fire", newDesk, "/", "Tell the people whose printer burns: Help is on its way.").
			clicks("link: Printer is on fire").
			turn(fill("textbox: Answer", "Help is on its way."), click("button: Send answer")).
			turn(call("back")).
			turn(fill("textbox: Answer", "Help is on its way."), click("button: Send answer")).
			did("they are told", says("Help is on its way."), at("/t/1")).
			want("answer to 1: Help is on its way."),
		task("goal/kaffee", newDesk, "/", "Das Ticket zum Kaffee ist erledigt, schließe es.").
			clicks("link: No coffee", "button: Close ticket", "link: Tickets", "link: No coffee").
			did("das Ticket ist zu", says("State: closed"), at("/t/2")).
			want("closed 2"),
		task("goal/release", newPortal, "/login", "Sign in as ada with %password% and let the report of April out. Leave the comment empty.").
			logsIn().
			turn(call("navigate", "url", "/reports/April")).
			turn(call("read")).
			clicks("link: Release").
			turn(fill("textbox: Code", "QX-April"), click("button: Release now")).
			did("the report of April is out", says("The report was released"), sent("POST", "/release")).
			want("released QX-April: "),
		task("goal/telephone", newPortal, "/login", "Connecte-toi comme ada avec %password% et remplace le numéro de téléphone par 079 111 22 33.").
			logsIn().
			clicks("link: Profile").
			turn(fill("textbox: Phone", "079 111 22 33"), click("button: Save")).
			did("le numéro est changé", says("Your profile was saved")).
			want("phone 079 111 22 33, letters false"),
		task("goal/billett", newRail, "/", "Kaufe ein Billett von Zug nach Basel um 08:14 mit der Karte 4222 2222 2222 2222, gültig bis 05/31.").
			turn(form("textbox: From", "Zug", "textbox: To", "Basel"), click("button: Find connections")).
			clicks("row: 08:14 / button: Choose").
			turn(form("textbox: Card number", "4222 2222 2222 2222", "textbox: Valid until", "05/31"), click("button: Pay now")).
			did("das Billett ist bezahlt", says("Paid. Have a good journey.")).
			want("ticket Zug to Basel at 08:14, second class, card …2222 until 05/31"),
		task("goal/no-offers", newRail, "/", "I want everything in German, and no offers any more.").
			clicks("link: Settings").
			turn(choose("combobox: Language", "German"), click("checkbox: Offers"), click("button: Save settings")).
			did("it is German and without offers", says("Your settings were saved")).
			want("settings: German, delays, aisle, 15"),
		task("goal/luna", newTown, "/", "Register the poodle Luna, which is neutered.").
			clicks("link: Hund anmelden").
			turn(form("textbox: Name des Hundes", "Luna", "combobox: Rasse", "Pudel", "radio: Ja", "true"), click("button: Anmelden")).
			did("Luna is registered", received(), sent("POST", "/hund")).
			want("hund: Luna, Pudel, ja"),
		task("goal/ausweis", newTown, "/", "Ich brauche einen Termin für einen neuen Ausweis am 4. Juni 2026 um 14:15.").
			clicks("link: Termin buchen").
			turn(form("combobox: Anliegen", "Ausweis", "date: Datum", "2026-06-04", "combobox: Uhrzeit", "14:15"), click("button: Termin buchen")).
			did("der Termin steht", received()).
			want("termin: 2026-06-04, 14:15, Ausweis"),
		task("goal/brevity", newWiki, "/w/Main", "The article on Trees shall begin with: Trees grow. Name brevity as the reason.").
			clicks("link: Trees", "link: Edit this page").
			turn(form("textbox: First sentence", "Trees grow.", "textbox: Reason", "brevity"), click("button: Save page")).
			did("the article begins so", says("Trees grow."), at("/w/Trees")).
			want("Trees: Trees grow. (brevity)"),
		task("goal/piano", newWizard, "/", "Assure un piano qui vaut 6000 francs pour Léa Roux, née en 1985, avec la couverture de base et sans option.").
			clicks("link: Begin").
			turn(form("textbox: Full name", "Léa Roux", "textbox: Year of birth", "1985"), click("button: Continue")).
			turn(click("radio: Piano"), fill("spinbutton: Value in CHF", "6000"), click("button: Continue")).
			turn(choose("combobox: Cover", "Basic"), click("button: Continue")).
			clicks("button: Conclude the contract").
			did("le piano est assuré", insured()...).
			want("Léa Roux, 1985: Piano worth 6000, Basic, extras : CHF 60.00 a year"),
	}
}

// BlindGoals are ten more of them. No rule was looked at on one of these: they are
// what the rules are worth on tasks that nobody had in mind.
func BlindGoals() []Task {
	return []Task{

		// Blind from here.
		task("blind/assam", newShop, "/", "Storniere die Bestellung mit dem Assam.").
			clicks("link: Orders", "row: 1003 / button: Cancel").
			did("die Bestellung ist storniert", step(-1)).
			want("canceled order 1003"),
		task("blind/mug", newShop, "/", "Eve, Hill road 9, Basel, would like a blue Mug, brought by a courier.").
			clicks("link: Cups", "link: Mug").
			turn(choose("combobox: Color", "blue"), click("button: Add to cart")).
			clicks("link: Checkout").
			turn(deliverTo("Eve", "Hill road 9", "Basel"), click("radio: By courier"), click("button: Place order")).
			did("the mug is ordered", ordered()...).
			want("order 1004: 1 × Mug blue: CHF 41.30 to Eve, Hill road 9, Basel by courier"),
		task("blind/dejeuner", newMail, "/", "Réponds « D'accord » à Ada Lovelace au sujet du déjeuner.").
			clicks("link: Lunch on Friday", "link: Reply").
			turn(fill("textbox: Text", "D'accord"), click("button: Send")).
			did("Ada a une réponse", says("Your message was sent")).
			want("sent to ada.lovelace@post.test: Re: Lunch on Friday: D'accord"),
		task("blind/two-notices", newMail, "/", "Notice 101 and Notice 103 belong into the bin.").
			turn(click("checkbox: Choose Notice 101"), click("checkbox: Choose Notice 103"), choose("combobox: Move chosen to", "Bin"), click("button: Move")).
			did("both are in the bin", step(-1)).
			want("Notice 101: Inbox → Bin", "Notice 103: Inbox → Bin"),
		task("blind/administrateur", newAdmin, "/users", "Donne au compte 2012 le rôle Admin.").
			clicks("row: 2012 / link: Edit").
			turn(choose("combobox: Role", "Admin"), click("button: Save")).
			did("2012 est Admin", says("was saved")).
			want("saved 2012: Lea Berger, lea2012@console.test, Admin, Zug"),
		task("blind/sommerfest", newCalendar, "/month/5", "Sage beim Sommerfest zu.").
			clicks("link: Invitations", "listitem: Summer party / button: Accept").
			did("das Sommerfest ist zugesagt", sent("POST", "/e/5/answer")).
			want("event 5: yes "),
		task("blind/freigabe", newPortal, "/login", "Melde dich als ada mit %password% an und gib den Bericht vom April frei, mit dem Kommentar geprüft.").
			logsIn().
			turn(call("navigate", "url", "/reports/April")).
			turn(call("read")).
			clicks("link: Release").
			turn(form("textbox: Code", "QX-April", "textbox: Comment", "geprüft"), click("button: Release now")).
			did("der Bericht ist frei", says("The report was released"), sent("POST", "/release")).
			want("released QX-April: geprüft"),
		task("blind/mer", newWiki, "/w/Main", "Remplace la première phrase de la page Seas par « La mer est salée. » et donne « traduction » comme raison.").
			clicks("link: Seas", "link: Edit this page").
			turn(form("textbox: First sentence", "La mer est salée.", "textbox: Reason", "traduction"), click("button: Save page")).
			did("la phrase est remplacée", says("La mer est salée."), at("/w/Seas")).
			want("Seas: La mer est salée. (traduction)"),
		task("blind/bicycle", newWizard, "/", "Get a Bicycle worth 1500 of Tom Field, born 1970, insured in full and against theft.").
			clicks("link: Begin").
			turn(form("textbox: Full name", "Tom Field", "textbox: Year of birth", "1970"), click("button: Continue")).
			turn(click("radio: Bicycle"), fill("spinbutton: Value in CHF", "1500"), click("button: Continue")).
			turn(choose("combobox: Cover", "Full"), click("checkbox: Theft"), click("button: Continue")).
			clicks("button: Conclude the contract").
			did("the bicycle is insured", insured()...).
			want("Tom Field, 1970: Bicycle worth 1500, Full, extras theft: CHF 70.00 a year"),
		task("blind/schrift", newRail, "/", "Stelle die Sprache auf Französisch und die Schrift auf 18.").
			clicks("link: Settings", "button: More").
			turn(choose("combobox: Language", "French"), fill("spinbutton: Font size", "18"), click("button: Save settings")).
			did("Sprache und Schrift sind eingestellt", says("Your settings were saved")).
			want("settings: French, delays+offers, aisle, 18"),
	}
}
