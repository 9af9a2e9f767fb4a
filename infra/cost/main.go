// Package main prints the cost of a million payments at AWS's list prices, and the payments a second that each limit
// allows:
//
//	go run ./infra/cost [-price name=value]… [-assume name=value]…
//
// functions/capacity.json has the measured use of a payment; a missing member is an error. prices.go has the prices. It
// also has assumptions for the numbers that we cannot measure. Amounts are estimates in US dollars, so floats are good
// enough.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
)

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "cost:", err)
		os.Exit(1)
	}
}

// run runs the program. It returns an error for an invalid flag, an unreadable file or a missing member. It writes the
// usage to help.
func run(arguments []string, out, help io.Writer) error {
	b := basis{prices: prices(), assumed: assumptions()}
	flags := flag.NewFlagSet("cost", flag.ContinueOnError)
	flags.SetOutput(help)
	path := flags.String("capacity", "functions/capacity.json", "what was measured")
	flags.Func("price", "name=value: another price, in every region", func(text string) error {
		return parseSetting(text, func(name string, value float64) bool {
			return b.prices.set(name, slices.Repeat([]float64{value}, len(regions)))
		})
	})
	flags.Func("assume", "name=value: another assumption", func(text string) error {
		return parseSetting(text, b.assumed.set)
	})
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	text, err := os.ReadFile(*path)
	if err != nil {
		return err
	}
	if b.measured, err = readCapacity(text); err != nil {
		return err
	}
	report, err := b.report()
	if err != nil {
		return err
	}
	_, err = io.WriteString(out, report)
	return err
}

// parseSetting parses name=value and sets the value. It returns an error for an invalid form, a negative value or an
// unknown name.
func parseSetting(text string, set func(string, float64) bool) error {
	name, number, _ := strings.Cut(text, "=")
	value, err := strconv.ParseFloat(number, 64)
	if err != nil || !(value >= 0) {
		return fmt.Errorf("%q is not name=value with a value from 0 on", text)
	}
	if !set(name, value) {
		return fmt.Errorf("there is no %q", name)
	}
	return nil
}
