package sites

import "slices"

// Goals are tasks that say what a person wants in words of their own, in English,
// German and French, and not in those of the page. The rules that judge a run were
// written after them.
func Goals() []Task {
	return slices.Concat(shopGoals(), mailGoals(), adminGoals(), calendarGoals(), otherGoals())
}

func ordered() []map[string]any {
	return []map[string]any{says("Thank you for your order"), sent("POST", "/checkout")}
}

func received() map[string]any { return says("Ihre Angaben sind bei uns eingegangen") }

func secret() map[string]string { return map[string]string{"password": "s3cret-pass"} }

func loggedIn() Turn {
	return turn(form("textbox: User name", "ada", "textbox: Password", "%password%"), click("button: Log in"))
}

func deliverTo(name, street, city string) Call {
	return form("textbox: Name", name, "textbox: Street", street, "textbox: City", city, "checkbox: I accept the terms", "true")
}

func shopGoals() []Task {
	return []Task{
		{
			Name: "goal/call-off", New: newShop, Start: "/",
			Say:   "I changed my mind about the six glasses. Call that order off.",
			Turns: []Turn{turn(click("link: Orders")), turn(click("row: 1002 / button: Cancel"))},
			Done:  did("the order of the glasses is canceled", step(-1)),
			Want:  []string{"canceled order 1002"},
		},
		{
			Name: "goal/zwei-sencha", New: newShop, Start: "/",
			Say: "Bestelle zwei Packungen Sencha an Bob, Dorfgasse 5, Chur.",
			Turns: []Turn{
				turn(click("link: Teas")),
				turn(click("link: Sencha")),
				turn(fill("spinbutton: Quantity", "2"), click("button: Add to cart")),
				turn(click("link: Checkout")),
				turn(deliverTo("Bob", "Dorfgasse 5", "Chur"), click("button: Place order")),
			},
			Done: did("zwei Sencha sind bestellt", ordered()...),
			Want: []string{"order 1004: 2 × Sencha: CHF 99.20 to Bob, Dorfgasse 5, Chur by post"},
		},
		{
			Name: "goal/theiere", New: newShop, Start: "/",
			Say: "Mets une théière « Travel teapot » bleue dans le panier, puis passe la commande pour Marc, Rue du Lac 3, Genève.",
			Turns: []Turn{
				turn(click("link: Travel teapot")),
				turn(choose("combobox: Color", "blue"), click("button: Add to cart")),
				turn(click("link: Checkout")),
				turn(deliverTo("Marc", "Rue du Lac 3", "Genève"), click("button: Place order")),
			},
			Done: did("la théière est commandée", ordered()...),
			Want: []string{"order 1004: 1 × Travel teapot blue: CHF 34.30 to Marc, Rue du Lac 3, Genève by post"},
		},
		{
			Name: "goal/five-stars", New: newShop, Start: "/",
			Say: "Give the Assam five stars and say that it is strong and malty.",
			Turns: []Turn{
				turn(click("link: Assam")),
				turn(click("radio: 5 stars"), fill("textbox: Your review", "Strong and malty"), click("button: Send review")),
			},
			Done: did("the Assam has five stars", says("5 stars: Strong and malty")),
			Want: []string{"review of Assam: 5 stars: Strong and malty"},
		},
		{
			Name: "goal/wunsch", New: newShop, Start: "/",
			Say:   "Setze den Samovar auf die Wunschliste.",
			Turns: []Turn{turn(click("link: Samovar")), turn(click("button: Add to wish list"))},
			Done:  did("der Samovar ist auf der Wunschliste", says("wish: Samovar")),
			Want:  []string{"wish: Samovar"},
		},
	}
}

func mailGoals() []Task {
	return []Task{
		{
			Name: "goal/late", New: newMail, Start: "/",
			Say: "Let carol@post.test know that they should start without me. The subject is Late.",
			Turns: []Turn{
				turn(click("link: Write")),
				turn(form("textbox: To", "carol@post.test", "textbox: Subject", "Late", "textbox: Text", "Please start without me."), click("button: Send")),
			},
			Done: did("Carol knows", says("Your message was sent"), sent("POST", "/send")),
			Want: []string{"sent to carol@post.test: Late: Please start without me."},
		},
		{
			Name: "goal/gewinn", New: newMail, Start: "/",
			Say:   "Wirf die Nachricht von Lucky Prize weg.",
			Turns: []Turn{turn(click("link: You have won")), turn(click("button: Delete"))},
			Done:  did("die Nachricht ist im Papierkorb", step(-1)),
			Want:  []string{"You have won: Inbox → Bin"},
		},
		{
			Name: "goal/photos", New: newMail, Start: "/",
			Say: "Range dans les archives le message de « Old friend ».",
			Turns: []Turn{
				turn(fill("searchbox: Search mail", "Old friend"), click("button: Search")),
				turn(click("link: Photos of the hike")),
				turn(click("button: Archive")),
			},
			Done: did("le message est archivé", sent("POST", "/move"), step(-1)),
			Want: []string{"Photos of the hike: Inbox → Archive"},
		},
		{
			Name: "goal/filing", New: newMail, Start: "/",
			Say: "From now on everything from a sender with shop in the name should land in the archive by itself.",
			Turns: []Turn{
				turn(click("link: Rules")),
				turn(form("textbox: Sender contains", "shop", "combobox: Move to", "Archive"), click("button: Add rule")),
			},
			Done: did("there is a rule for shop", says("from shop → Archive")),
			Want: []string{"rule: from shop → Archive, read: false"},
		},
		{
			Name: "goal/stern", New: newMail, Start: "/",
			Say:   "Markiere die Rechnung 77 mit einem Stern.",
			Turns: []Turn{turn(click("link: Invoice 77")), turn(click("button: Star"))},
			Done:  did("die Rechnung 77 hat einen Stern", says("starred")),
			Want:  []string{"Invoice 77: star true"},
		},
	}
}

func adminGoals() []Task {
	return []Task{
		{
			Name: "goal/for-ever", New: newAdmin, Start: "/users",
			Say:   "Get rid of the account number 2010 for ever.",
			Turns: []Turn{turn(click("row: 2010 / link: Edit")), turn(click("link: Delete")), turn(click("button: Delete for good"))},
			Done:  did("2010 is gone", sent("POST", "/users/2010/delete"), says("59 users")),
			Want:  []string{"deleted 2010"},
		},
		{
			Name: "goal/umbenennen", New: newAdmin, Start: "/users",
			Say: "Das Konto 2005 heißt jetzt Max Muster.",
			Turns: []Turn{
				turn(click("row: 2005 / link: Edit")),
				turn(fill("textbox: Name", "Max Muster"), click("button: Save")),
			},
			Done: did("2005 heißt Max Muster", says("Max Muster was saved")),
			Want: []string{"saved 2005: Max Muster, emil2005@console.test, Member, Basel"},
		},
		{
			Name: "goal/compte", New: newAdmin, Start: "/users",
			Say: "Crée un compte pour Zoé Blanc, zoe@console.test, qui habite à Zug.",
			Turns: []Turn{
				turn(click("link: New user")),
				turn(form("textbox: Name", "Zoé Blanc", "textbox: Address", "zoe@console.test", "textbox: City", "Zug"), click("button: Save")),
			},
			Done: did("Zoé Blanc a un compte", says("Zoé Blanc was saved")),
			Want: []string{"saved 2061: Zoé Blanc, zoe@console.test, Member, Zug"},
		},
		{
			Name: "goal/moved", New: newAdmin, Start: "/users",
			Say: "User 2007 has moved to Lugano.",
			Turns: []Turn{
				turn(click("row: 2007 / link: Edit")),
				turn(fill("textbox: City", "Lugano"), click("button: Save")),
			},
			Done: did("2007 lives in Lugano", says("was saved"), step(-1)),
			Want: []string{"saved 2007: Gus Berger, gus2007@console.test, Admin, Lugano"},
		},
		{
			Name: "goal/zwei-im-team", New: newAdmin, Start: "/users",
			Say: "Nimm 2003 und 2004 in das Team Operations auf.",
			Turns: []Turn{
				turn(click("link: Teams")),
				turn(fill("region: Operations / textbox: Number", "2003"), click("button: Add to Operations")),
				turn(fill("region: Operations / textbox: Number", "2004"), click("button: Add to Operations")),
			},
			Done: did("2003 und 2004 sind im Team", sent("POST", "/teams/Operations"), says("2003"), says("2004")),
			Want: []string{"2003 joins Operations", "2004 joins Operations"},
		},
		{
			Name: "goal/shut-out", New: newAdmin, Start: "/users",
			Say:   "Bob Berger must not get in any more.",
			Turns: []Turn{turn(click("row: 2002 / link: Edit")), turn(click("button: Lock"))},
			Done:  did("Bob Berger is locked out", says("State: locked")),
			Want:  []string{"2002 is locked"},
		},
	}
}

func calendarGoals() []Task {
	return []Task{
		{
			Name: "goal/sitzung", New: newCalendar, Start: "/month/5",
			Say: "Trage am 20. Mai 2026 um 15:00 eine Sitzung mit Bea in Room 2 ein.",
			Turns: []Turn{
				turn(click("link: New event")),
				turn(form("textbox: Title", "Sitzung mit Bea", "date: Day", "2026-05-20", "inputtime: Time", "15:00", "combobox: Room", "Room 2"), click("button: Save")),
			},
			Done: did("die Sitzung ist eingetragen", says("Sitzung mit Bea is on 2026-05-20 at 15:00")),
			Want: []string{"event 8: Sitzung mit Bea on 2026-05-20 at 15:00, Room 2"},
		},
		{
			Name: "goal/no-standup", New: newCalendar, Start: "/month/5",
			Say:   "The standup is off, take it out of the calendar.",
			Turns: []Turn{turn(click("link: 09:00 Standup")), turn(click("button: Delete"))},
			Done:  did("the standup is out", says("Standup was deleted")),
			Want:  []string{"event 1 is gone"},
		},
		{
			Name: "goal/dentiste", New: newCalendar, Start: "/month/5",
			Say: "Déplace le rendez-vous « Dentist » au 21 mai 2026.",
			Turns: []Turn{
				turn(click("link: 14:30 Dentist")),
				turn(fill("date: Day", "2026-05-21"), click("button: Save")),
			},
			Done: did("le dentiste est le 21 mai", says("Dentist is on 2026-05-21")),
			Want: []string{"event 2: Dentist on 2026-05-21 at 14:30, "},
		},
		{
			Name: "goal/no-no", New: newCalendar, Start: "/month/5",
			Say: "Say no to both invitations.",
			Turns: []Turn{
				turn(click("link: Invitations")),
				turn(click("listitem: Summer party / button: Decline")),
				turn(click("listitem: Budget meeting / button: Decline")),
			},
			Done: did("both are declined", sent("POST", "/e/5/answer"), sent("POST", "/e/6/answer")),
			Want: []string{"event 5: no ", "event 6: no "},
		},
	}
}

func otherGoals() []Task {
	return []Task{
		{
			Name: "goal/fire", New: newDesk, Start: "/",
			Say: "Tell the people whose printer burns: Help is on its way.",
			Turns: []Turn{
				turn(click("link: Printer is on fire")),
				turn(fill("textbox: Answer", "Help is on its way."), click("button: Send answer")),
				turn(call("back")),
				turn(fill("textbox: Answer", "Help is on its way."), click("button: Send answer")),
			},
			Done: did("they are told", says("Help is on its way."), at("/t/1")),
			Want: []string{"answer to 1: Help is on its way."},
		},
		{
			Name: "goal/kaffee", New: newDesk, Start: "/",
			Say:   "Das Ticket zum Kaffee ist erledigt, schließe es.",
			Turns: []Turn{turn(click("link: No coffee")), turn(click("button: Close ticket")), turn(click("link: Tickets")), turn(click("link: No coffee"))},
			Done:  did("das Ticket ist zu", says("State: closed"), at("/t/2")),
			Want:  []string{"closed 2"},
		},
		{
			Name: "goal/release", New: newPortal, Start: "/login", Variables: secret(),
			Say: "Sign in as ada with %password% and let the report of April out. Leave the comment empty.",
			Turns: []Turn{
				loggedIn(),
				turn(call("navigate", "url", "/reports/April")),
				turn(call("read")),
				turn(click("link: Release")),
				turn(fill("textbox: Code", "QX-April"), click("button: Release now")),
			},
			Done: did("the report of April is out", says("The report was released"), sent("POST", "/release")),
			Want: []string{"released QX-April: "},
		},
		{
			Name: "goal/telephone", New: newPortal, Start: "/login", Variables: secret(),
			Say: "Connecte-toi comme ada avec %password% et remplace le numéro de téléphone par 079 111 22 33.",
			Turns: []Turn{
				loggedIn(),
				turn(click("link: Profile")),
				turn(fill("textbox: Phone", "079 111 22 33"), click("button: Save")),
			},
			Done: did("le numéro est changé", says("Your profile was saved")),
			Want: []string{"phone 079 111 22 33, letters false"},
		},
		{
			Name: "goal/billett", New: newRail, Start: "/",
			Say: "Kaufe ein Billett von Zug nach Basel um 08:14 mit der Karte 4222 2222 2222 2222, gültig bis 05/31.",
			Turns: []Turn{
				turn(form("textbox: From", "Zug", "textbox: To", "Basel"), click("button: Find connections")),
				turn(click("row: 08:14 / button: Choose")),
				turn(form("textbox: Card number", "4222 2222 2222 2222", "textbox: Valid until", "05/31"), click("button: Pay now")),
			},
			Done: did("das Billett ist bezahlt", says("Paid. Have a good journey.")),
			Want: []string{"ticket Zug to Basel at 08:14, second class, card …2222 until 05/31"},
		},
		{
			Name: "goal/no-offers", New: newRail, Start: "/",
			Say: "I want everything in German, and no offers any more.",
			Turns: []Turn{
				turn(click("link: Settings")),
				turn(choose("combobox: Language", "German"), click("checkbox: Offers"), click("button: Save settings")),
			},
			Done: did("it is German and without offers", says("Your settings were saved")),
			Want: []string{"settings: German, delays, aisle, 15"},
		},
		{
			Name: "goal/luna", New: newTown, Start: "/",
			Say: "Register the poodle Luna, which is neutered.",
			Turns: []Turn{
				turn(click("link: Hund anmelden")),
				turn(form("textbox: Name des Hundes", "Luna", "combobox: Rasse", "Pudel", "radio: Ja", "true"), click("button: Anmelden")),
			},
			Done: did("Luna is registered", received(), sent("POST", "/hund")),
			Want: []string{"hund: Luna, Pudel, ja"},
		},
		{
			Name: "goal/ausweis", New: newTown, Start: "/",
			Say: "Ich brauche einen Termin für einen neuen Ausweis am 4. Juni 2026 um 14:15.",
			Turns: []Turn{
				turn(click("link: Termin buchen")),
				turn(form("combobox: Anliegen", "Ausweis", "date: Datum", "2026-06-04", "combobox: Uhrzeit", "14:15"), click("button: Termin buchen")),
			},
			Done: did("der Termin steht", received()),
			Want: []string{"termin: 2026-06-04, 14:15, Ausweis"},
		},
		{
			Name: "goal/brevity", New: newWiki, Start: "/w/Main",
			Say: "The article on Trees shall begin with: Trees grow. Name brevity as the reason.",
			Turns: []Turn{
				turn(click("link: Trees")),
				turn(click("link: Edit this page")),
				turn(form("textbox: First sentence", "Trees grow.", "textbox: Reason", "brevity"), click("button: Save page")),
			},
			Done: did("the article begins so", says("Trees grow."), at("/w/Trees")),
			Want: []string{"Trees: Trees grow. (brevity)"},
		},
		{
			Name: "goal/piano", New: newWizard, Start: "/",
			Say: "Assure un piano qui vaut 6000 francs pour Léa Roux, née en 1985, avec la couverture de base et sans option.",
			Turns: []Turn{
				turn(click("link: Begin")),
				turn(form("textbox: Full name", "Léa Roux", "textbox: Year of birth", "1985"), click("button: Continue")),
				turn(click("radio: Piano"), fill("spinbutton: Value in CHF", "6000"), click("button: Continue")),
				turn(choose("combobox: Cover", "Basic"), click("button: Continue")),
				turn(click("button: Conclude the contract")),
			},
			Done: did("le piano est assuré", says("Your policy is on its way"), sent("POST", "/step/4")),
			Want: []string{"Léa Roux, 1985: Piano worth 6000, Basic, extras : CHF 60.00 a year"},
		},
	}
}

// BlindGoals are ten more of them. No rule was looked at on one of these: they are
// what the rules are worth on tasks that nobody had in mind.
func BlindGoals() []Task {
	return []Task{

		// Blind from here.
		{
			Name: "blind/assam", New: newShop, Start: "/",
			Say:   "Storniere die Bestellung mit dem Assam.",
			Turns: []Turn{turn(click("link: Orders")), turn(click("row: 1003 / button: Cancel"))},
			Done:  did("die Bestellung ist storniert", step(-1)),
			Want:  []string{"canceled order 1003"},
		},
		{
			Name: "blind/mug", New: newShop, Start: "/",
			Say: "Eve, Hill road 9, Basel, would like a blue Mug, brought by a courier.",
			Turns: []Turn{
				turn(click("link: Cups")),
				turn(click("link: Mug")),
				turn(choose("combobox: Color", "blue"), click("button: Add to cart")),
				turn(click("link: Checkout")),
				turn(deliverTo("Eve", "Hill road 9", "Basel"), click("radio: By courier"), click("button: Place order")),
			},
			Done: did("the mug is ordered", ordered()...),
			Want: []string{"order 1004: 1 × Mug blue: CHF 41.30 to Eve, Hill road 9, Basel by courier"},
		},
		{
			Name: "blind/dejeuner", New: newMail, Start: "/",
			Say: "Réponds « D'accord » à Ada Lovelace au sujet du déjeuner.",
			Turns: []Turn{
				turn(click("link: Lunch on Friday")),
				turn(click("link: Reply")),
				turn(fill("textbox: Text", "D'accord"), click("button: Send")),
			},
			Done: did("Ada a une réponse", says("Your message was sent")),
			Want: []string{"sent to ada.lovelace@post.test: Re: Lunch on Friday: D'accord"},
		},
		{
			Name: "blind/two-notices", New: newMail, Start: "/",
			Say: "Notice 101 and Notice 103 belong into the bin.",
			Turns: []Turn{
				turn(click("checkbox: Choose Notice 101"), click("checkbox: Choose Notice 103"), choose("combobox: Move chosen to", "Bin"), click("button: Move")),
			},
			Done: did("both are in the bin", step(-1)),
			Want: []string{"Notice 101: Inbox → Bin", "Notice 103: Inbox → Bin"},
		},
		{
			Name: "blind/administrateur", New: newAdmin, Start: "/users",
			Say: "Donne au compte 2012 le rôle Admin.",
			Turns: []Turn{
				turn(click("row: 2012 / link: Edit")),
				turn(choose("combobox: Role", "Admin"), click("button: Save")),
			},
			Done: did("2012 est Admin", says("was saved")),
			Want: []string{"saved 2012: Lea Berger, lea2012@console.test, Admin, Zug"},
		},
		{
			Name: "blind/sommerfest", New: newCalendar, Start: "/month/5",
			Say: "Sage beim Sommerfest zu.",
			Turns: []Turn{
				turn(click("link: Invitations")),
				turn(click("listitem: Summer party / button: Accept")),
			},
			Done: did("das Sommerfest ist zugesagt", sent("POST", "/e/5/answer")),
			Want: []string{"event 5: yes "},
		},
		{
			Name: "blind/freigabe", New: newPortal, Start: "/login", Variables: secret(),
			Say: "Melde dich als ada mit %password% an und gib den Bericht vom April frei, mit dem Kommentar geprüft.",
			Turns: []Turn{
				loggedIn(),
				turn(call("navigate", "url", "/reports/April")),
				turn(call("read")),
				turn(click("link: Release")),
				turn(form("textbox: Code", "QX-April", "textbox: Comment", "geprüft"), click("button: Release now")),
			},
			Done: did("der Bericht ist frei", says("The report was released"), sent("POST", "/release")),
			Want: []string{"released QX-April: geprüft"},
		},
		{
			Name: "blind/mer", New: newWiki, Start: "/w/Main",
			Say: "Remplace la première phrase de la page Seas par « La mer est salée. » et donne « traduction » comme raison.",
			Turns: []Turn{
				turn(click("link: Seas")),
				turn(click("link: Edit this page")),
				turn(form("textbox: First sentence", "La mer est salée.", "textbox: Reason", "traduction"), click("button: Save page")),
			},
			Done: did("la phrase est remplacée", says("La mer est salée."), at("/w/Seas")),
			Want: []string{"Seas: La mer est salée. (traduction)"},
		},
		{
			Name: "blind/bicycle", New: newWizard, Start: "/",
			Say: "Get a Bicycle worth 1500 of Tom Field, born 1970, insured in full and against theft.",
			Turns: []Turn{
				turn(click("link: Begin")),
				turn(form("textbox: Full name", "Tom Field", "textbox: Year of birth", "1970"), click("button: Continue")),
				turn(click("radio: Bicycle"), fill("spinbutton: Value in CHF", "1500"), click("button: Continue")),
				turn(choose("combobox: Cover", "Full"), click("checkbox: Theft"), click("button: Continue")),
				turn(click("button: Conclude the contract")),
			},
			Done: did("the bicycle is insured", says("Your policy is on its way"), sent("POST", "/step/4")),
			Want: []string{"Tom Field, 1970: Bicycle worth 1500, Full, extras theft: CHF 70.00 a year"},
		},
		{
			Name: "blind/schrift", New: newRail, Start: "/",
			Say: "Stelle die Sprache auf Französisch und die Schrift auf 18.",
			Turns: []Turn{
				turn(click("link: Settings")),
				turn(click("button: More")),
				turn(choose("combobox: Language", "French"), fill("spinbutton: Font size", "18"), click("button: Save settings")),
			},
			Done: did("Sprache und Schrift sind eingestellt", says("Your settings were saved")),
			Want: []string{"settings: French, delays+offers, aisle, 18"},
		},
	}
}
