package engine

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
)

func (a *attempt) selectOption(ctx context.Context) error {
	if a.before.Tag != "select" {
		return a.wrongMethod("open it with click, then click the option")
	}
	return a.choose(ctx, a.args)
}

// choose selects options, each named by its label, its value, or else its
// index.
func (a *attempt) choose(ctx context.Context, wanted []string) error {
	if len(wanted) > 1 && !a.before.Multiple {
		return fmt.Errorf("%w: the list takes one option, got %d", ErrInvalid, len(wanted))
	}
	var chosen []int
	for _, want := range wanted {
		i, err := pickOption(a.before.Options, want)
		if err != nil {
			return err
		}
		chosen = append(chosen, i)
	}
	return a.setChosen(ctx, chosen)
}

// clearChoice deselects everything, as far as the list allows it.
func (a *attempt) clearChoice(ctx context.Context) error {
	if a.before.Multiple {
		return a.setChosen(ctx, nil)
	}
	i := slices.IndexFunc(a.before.Options, func(o driver.OptionState) bool { return o.Value == "" && !o.Disabled })
	if i < 0 {
		return a.wrongMethod("the list has no empty option; choose one with selectOption")
	}
	return a.setChosen(ctx, []int{i})
}

// setChosen selects exactly the options at these indices.
func (a *attempt) setChosen(ctx context.Context, chosen []int) error {
	options := a.before.Options
	values := make([]string, len(chosen))
	for i, at := range chosen {
		values[i] = options[at].Value
		// The driver gets values and takes the first option with each.
		first := slices.IndexFunc(options, func(o driver.OptionState) bool { return o.Value == values[i] && !o.Disabled })
		if first != at && !slices.Contains(chosen, first) {
			return fmt.Errorf("%w: the options %q and %q have the same value and cannot be chosen apart; click the list and use the arrow keys",
				ErrAmbiguous, options[first].Label, options[at].Label)
		}
	}
	a.expect = func(after *driver.State) error {
		for i, o := range after.Options {
			if i < len(options) && o.Selected != slices.Contains(chosen, i) && o.Value == options[i].Value {
				return fmt.Errorf("%w: the option %q is %s", ErrNoEffect, o.Label, onOff(o.Selected))
			}
		}
		if len(after.Options) != len(options) {
			return expectValues(after, values)
		}
		return nil
	}
	return a.setValue(ctx, values...)
}

// expectValues is what can be checked of a list that was rebuilt.
func expectValues(after *driver.State, values []string) error {
	for _, want := range values {
		if !slices.Contains(after.Values, want) {
			return fmt.Errorf("%w: the list did not keep the option", ErrNoEffect)
		}
	}
	return nil
}

// pickOption returns the index of the option that a person means: by label, by
// value, by label ignoring case and spaces, by group and label, or by index. A
// name that fits two options in one of these ways is ambiguous.
func pickOption(options []driver.OptionState, want string) (int, error) {
	fits := []func(driver.OptionState) bool{
		func(o driver.OptionState) bool { return o.Label == want },
		func(o driver.OptionState) bool { return o.Value == want },
		func(o driver.OptionState) bool { return strings.EqualFold(squeeze(o.Label), squeeze(want)) },
		func(o driver.OptionState) bool { return o.Group != "" && o.Group+" > "+o.Label == want },
	}
	for _, fit := range fits {
		switch found := placesOf(options, fit); len(found) {
		case 0:
		case 1:
			return enabledOption(options, found[0])
		default:
			// An enabled option takes precedence over disabled ones.
			able := slices.DeleteFunc(slices.Clone(found), func(i int) bool { return options[i].Disabled })
			if len(able) == 1 {
				return able[0], nil
			}
			return 0, ambiguousOption(options, found, want)
		}
	}
	if i, err := strconv.Atoi(want); err == nil && i >= 0 && i < len(options) {
		return enabledOption(options, i)
	}
	return 0, fmt.Errorf("%w: no option %q; the options are %s", ErrNotFound, want, optionLabels(options))
}

func placesOf(options []driver.OptionState, fit func(driver.OptionState) bool) []int {
	var found []int
	for i, o := range options {
		if fit(o) {
			found = append(found, i)
		}
	}
	return found
}

// ambiguousOption lists the matching options, each by what distinguishes it.
func ambiguousOption(options []driver.OptionState, found []int, want string) error {
	e := &AmbiguousError{Selector: want, Count: len(found)}
	for _, i := range found[:min(len(found), maxAmbiguousNamed)] {
		o := options[i]
		name := fmt.Sprintf("option %q with the value %q", squeeze(o.Label), o.Value)
		if o.Group != "" {
			name = fmt.Sprintf("option %q", o.Group+" > "+o.Label)
		}
		e.Candidates = append(e.Candidates, name)
	}
	return e
}

func enabledOption(options []driver.OptionState, i int) (int, error) {
	if options[i].Disabled {
		return 0, fmt.Errorf("%w: the option %q is disabled", ErrDisabled, options[i].Label)
	}
	return i, nil
}

const maxOptionsNamed = 20

func optionLabels(options []driver.OptionState) string {
	if len(options) == 0 {
		return "none"
	}
	var labels []string
	for i, o := range options {
		if i == maxOptionsNamed {
			labels = append(labels, fmt.Sprintf("and %d more", len(options)-i))
			break
		}
		labels = append(labels, strconv.Quote(squeeze(o.Label)))
	}
	return strings.Join(labels, ", ")
}

// squeeze trims white space and collapses it to single spaces.
func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }
