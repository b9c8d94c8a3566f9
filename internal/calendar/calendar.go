// Package calendar knows the names of months in the languages that pages are
// read in.
package calendar

import (
	"strconv"
	"strings"
)

// Month returns the number of a month, 1 for January, by its name or a cut one
// without its dot, in lower case.
func Month(name string) (int, bool) {
	m, ok := months[name]
	return m, ok
}

// Names are the names of a month, given by its number in digits.
func Names(number string) (names []string) {
	for name, m := range months {
		if strconv.Itoa(m) == number {
			names = append(names, name)
		}
	}
	return names
}

// Same are the names of the month that a word in lower case is a name of.
func Same(name string) []string {
	n, ok := months[name]
	if !ok {
		return nil
	}
	return Names(strconv.Itoa(n))
}

var months = func() map[string]int {
	m := map[string]int{}
	for i, names := range []string{
		"january jan januar jänner janvier janv enero ene gennaio gen janeiro januari января янв январь stycznia sty ledna ocak يناير ינואר בינואר",
		"february feb februar feber février févr fév febrero febbraio fevereiro fev februari февраля фев февраль lutego února şubat فبراير פברואר בפברואר",
		"march mar märz mär mrz mars marzo março maart mrt марта мар март marca března mart مارس מרץ במרץ marts",
		"april apr avril avr abril abr aprile апреля апр апрель kwietnia kwi dubna nisan أبريل ابريل אפריל באפריל",
		"may mai mayo maggio mag maio mei maj мая май maja května mayıs مايو מאי במאי",
		"june jun juni juin junio giugno giu junho июня июн июнь czerwca cze června haziran يونيو יוני ביוני",
		"july jul juli juillet juil julio luglio lug julho июля июл июль lipca lip července temmuz يوليو יולי ביולי",
		"august aug août agosto ago augustus augusti августа авг август sierpnia sie srpna ağustos أغسطس אוגוסט באוגוסט",
		"september sep sept septembre septiembre setiembre settembre set setembro сентября сен сентябрь września wrz září eylül سبتمبر ספטמבר בספטמבר",
		"october oct oktober okt octobre octubre ottobre ott outubro out октября окт октябрь października paź října ekim أكتوبر אוקטובר באוקטובר",
		"november nov novembre noviembre novembro ноября ноя ноябрь listopada lis kasım نوفمبر נובמבר בנובמבר",
		"december dec dezember dez décembre déc diciembre dic dicembre dezembro декабря дек декабрь grudnia gru prosince aralık ديسمبر דצמבר בדצמבר desember",
	} {
		for name := range strings.FieldsSeq(names) {
			m[name] = i + 1
		}
	}
	return m
}()
