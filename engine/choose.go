package engine

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
)

func (d *deed) selectOption(ctx context.Context) error {
	if d.before.Tag != "select" {
		return d.unfit("open it with click, then click the option")
	}
	return d.choose(ctx, d.args)
}

// choose sets the options of a select, each named by its label, its value, or
// its place counted from 0 where neither fits.
func (d *deed) choose(ctx context.Context, wanted []string) error {
	if len(wanted) > 1 && !d.before.Multiple {
		return fmt.Errorf("%w: the list takes one option, got %d", ErrInvalid, len(wanted))
	}
	var chosen []driver.OptionState
	var values []string
	for _, want := range wanted {
		option, err := pickOption(d.before.Options, want)
		if err != nil {
			return err
		}
		chosen = append(chosen, option)
		values = append(values, option.Value)
	}
	if _, err := d.page.ready(ctx, d.node, needTyping); err != nil {
		return err
	}
	got, err := d.setValue(ctx, values...)
	if err != nil {
		return err
	}
	for _, option := range chosen {
		if !slices.Contains(got, option.Value) {
			return fmt.Errorf("%w: the list did not take the option %q", ErrNoEffect, option.Label)
		}
	}
	return nil
}

// pickOption finds the option that a person means: by label, then by value,
// then by a label that differs in case and spaces alone, then by place.
func pickOption(options []driver.OptionState, want string) (driver.OptionState, error) {
	fits := []func(driver.OptionState) bool{
		func(o driver.OptionState) bool { return o.Label == want },
		func(o driver.OptionState) bool { return o.Value == want },
		func(o driver.OptionState) bool { return strings.EqualFold(squeeze(o.Label), squeeze(want)) },
		func(o driver.OptionState) bool { return o.Group != "" && o.Group+" > "+o.Label == want },
	}
	for _, fit := range fits {
		if i := slices.IndexFunc(options, fit); i >= 0 {
			return enabledOption(options[i])
		}
	}
	if i, err := strconv.Atoi(want); err == nil && i >= 0 && i < len(options) {
		return enabledOption(options[i])
	}
	return driver.OptionState{}, fmt.Errorf("%w: no option %q; the options are %s", ErrNotFound, want, optionLabels(options))
}

func enabledOption(o driver.OptionState) (driver.OptionState, error) {
	if o.Disabled {
		return o, fmt.Errorf("%w: the option %q is disabled", ErrDisabled, o.Label)
	}
	return o, nil
}

const mostOptionsNamed = 20

func optionLabels(options []driver.OptionState) string {
	if len(options) == 0 {
		return "none"
	}
	var labels []string
	for i, o := range options {
		if i == mostOptionsNamed {
			labels = append(labels, fmt.Sprintf("and %d more", len(options)-i))
			break
		}
		labels = append(labels, strconv.Quote(squeeze(o.Label)))
	}
	return strings.Join(labels, ", ")
}

// squeeze makes white space single and trims it.
func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }
