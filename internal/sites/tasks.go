package sites

import "slices"

// Tasks are all tasks, in a fixed order.
func Tasks() []Task {
	return slices.Concat(shopTasks(), mailTasks(), adminTasks(), calendarTasks(), wizardTasks(), portalTasks(), deskTasks(), townTasks(), wikiTasks(), railTasks(), boardTasks())
}
