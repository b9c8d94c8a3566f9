package sites

// Tasks are all tasks, in a fixed order.
func Tasks() []Task {
	var all []Task
	for _, of := range []func() []Task{shopTasks, mailTasks, adminTasks, calendarTasks, wizardTasks, portalTasks, deskTasks, townTasks, wikiTasks, railTasks, boardTasks} {
		all = append(all, of()...)
	}
	return all
}
