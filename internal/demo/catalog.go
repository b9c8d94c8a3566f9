package demo

var products = []Product{
	{
		Slug: "meridian-compass", Name: "Meridian compass", Category: "Navigation", Price: 8900, Rating: 4.8, Stock: 14,
		Blurb:  "A brass sighting compass that settles in a second.",
		Text:   "Liquid damped, with a sapphire pivot and a mirror for sighting. Declination is set without a tool, and the case closes with a click that you can feel through a glove.",
		Colors: []string{"Brass", "Graphite", "Sea green"},
		Facts:  []Fact{{"Weight", "112 g"}, {"Diameter", "58 mm"}, {"Accuracy", "0.5°"}, {"Warranty", "10 years"}, {"Made in", "Biel, Switzerland"}},
		Reviews: []Review{
			{"Ana M.", "2026-09-14", 5, "Steady needle, even on the boat."},
			{"Joris", "2026-08-02", 4, "Heavier than plastic, and worth it."},
			{"Wen", "2026-05-27", 5, "The mirror is the best part."},
		},
	},
	{
		Slug: "alpine-map-set", Name: "Alpine map set", Category: "Navigation", Price: 6450, Rating: 4.6, Stock: 31,
		Blurb:  "Twelve tear-proof sheets at 1:25,000, with huts and springs.",
		Text:   "Printed on a polymer that can be folded wet a thousand times. Huts, springs and winter routes are checked every year.",
		Colors: []string{"Summer", "Winter"},
		Facts:  []Fact{{"Weight", "480 g"}, {"Sheets", "12"}, {"Scale", "1:25,000"}, {"Edition", "2026"}},
		Reviews: []Review{
			{"Lukas", "2026-07-19", 5, "Survived a thunderstorm in my pocket."},
			{"Petra K.", "2026-06-30", 4, "I would like a sheet for Ticino."},
		},
	},
	{
		Slug: "horizon-telescope", Name: "Horizon telescope", Category: "Optics", Price: 124900, Rating: 4.9, Stock: 3,
		Blurb:  "A 70 mm refractor that fits a rucksack.",
		Text:   "Extra-low dispersion glass, a carbon tube and a head that stays where it is put. The case doubles as a seat.",
		Colors: []string{"White", "Graphite"},
		Facts:  []Fact{{"Weight", "2.4 kg"}, {"Aperture", "70 mm"}, {"Focal length", "420 mm"}, {"Warranty", "25 years"}},
		Reviews: []Review{
			{"Ingrid", "2026-10-11", 5, "Saw the Cassini division from the balcony."},
		},
	},
	{
		Slug: "tarn-binoculars", Name: "Tarn binoculars", Category: "Optics", Price: 31900, Rating: 4.5, Stock: 9,
		Blurb:  "8×32, bright until the very last light.",
		Text:   "A wide field and a focus wheel for one finger. Nitrogen filled, so that they do not fog when you come in from the cold.",
		Colors: []string{"Moss", "Graphite"},
		Facts:  []Fact{{"Weight", "540 g"}, {"Magnification", "8×"}, {"Field of view", "141 m at 1,000 m"}, {"Warranty", "10 years"}},
		Reviews: []Review{
			{"Ruedi", "2026-04-03", 5, "Chamois at two kilometres."},
			{"S. Okafor", "2026-02-21", 4, "The strap could be softer."},
		},
	},
	{
		Slug: "ember-lantern", Name: "Ember lantern", Category: "Light", Price: 5900, Rating: 4.7, Stock: 22,
		Blurb:  "Warm light for forty hours, from candle to reading lamp.",
		Text:   "One knob, no modes. Charges by a small solar panel in the lid and gives its charge to a phone when it matters more.",
		Colors: []string{"Copper", "Graphite"},
		Facts:  []Fact{{"Weight", "310 g"}, {"Light", "5 to 350 lm"}, {"Battery", "40 h"}, {"Charging", "USB-C, solar"}},
		Reviews: []Review{
			{"Mio", "2026-09-30", 5, "No blinking modes. At last."},
			{"Hanna", "2026-08-18", 5, "Reads well in the tent."},
		},
	},
	{
		Slug: "signal-whistle", Name: "Signal whistle", Category: "Safety", Price: 1250, Rating: 4.3, Stock: 120,
		Blurb:  "Heard at a kilometre, weighs nothing.",
		Text:   "Two chambers, no pea, works when it is wet. Comes with a cord that breaks before you do.",
		Colors: []string{"Orange", "Yellow"},
		Facts:  []Fact{{"Weight", "9 g"}, {"Loudness", "118 dB"}, {"Material", "Anodized aluminium"}},
		Reviews: []Review{
			{"Tomas", "2026-03-12", 4, "My dog disagrees."},
		},
	},
	{
		Slug: "ridge-backpack", Name: "Ridge backpack", Category: "Carry", Price: 18900, Rating: 4.4, Stock: 12,
		Blurb:  "32 litres that stand up by themselves.",
		Text:   "Opens like a suitcase, carries like a pack. The frame sheet comes out and becomes a table.",
		Colors: []string{"Moss", "Slate", "Rust"},
		Facts:  []Fact{{"Weight", "1.1 kg"}, {"Volume", "32 l"}, {"Fits", "Backs from 42 to 52 cm"}, {"Warranty", "For life"}},
		Reviews: []Review{
			{"Noor", "2026-07-07", 4, "Good in trains as well."},
			{"Elif", "2026-06-15", 5, "The table is no joke."},
		},
	},
	{
		Slug: "spring-bottle", Name: "Spring bottle", Category: "Carry", Price: 3400, Rating: 4.2, Stock: 64,
		Blurb:  "Keeps tea hot until the summit.",
		Text:   "Double walled steel, a lid that is a cup, and a mouth wide enough to clean.",
		Colors: []string{"Steel", "Sea green", "Rust"},
		Facts:  []Fact{{"Weight", "290 g"}, {"Volume", "0.75 l"}, {"Keeps hot", "14 h"}},
		Reviews: []Review{
			{"Urs", "2026-01-09", 4, "The cup is small, the tea is hot."},
		},
	},
	{
		Slug: "field-notebook", Name: "Field notebook", Category: "Carry", Price: 1850, Rating: 4.6, Stock: 85,
		Blurb:  "Paper that takes pencil in the rain.",
		Text:   "Ninety-six pages of stone paper with a grid in millimetres, a ruler on the cover, and a pocket for what you find.",
		Colors: []string{"Sand", "Moss"},
		Facts:  []Fact{{"Weight", "140 g"}, {"Pages", "96"}, {"Format", "A6"}},
		Reviews: []Review{
			{"Chiara", "2026-10-01", 5, "Wrote under a waterfall."},
		},
	},
}
