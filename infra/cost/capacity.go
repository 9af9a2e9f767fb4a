package main

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Rows of functions/CAPACITY.md that are needed.
const (
	create     = "POST /v0.1/checkouts"
	createOnce = "POST /v0.1/checkouts, with an Idempotency-Key"
	charge     = "PUT /v0.1/checkouts/{id}, card"
	challenged = "PUT /v0.1/checkouts/{id}, card with challenge"
	complete   = "POST /v0.1/checkouts/{id}/complete_payment"
	saving     = "PUT /v0.1/checkouts/{id}, card saved for a customer"
	retrieve   = "GET /v0.1/checkouts/{id}"
	refund     = "POST /v0.1/me/refund/{txn_id}"
	receipt    = "GET /v1.1/receipts/{id}, for the first time"
	callback   = "a callback is delivered"
	payout     = "32 payments are paid out"

	leftByPayment = "a checkout is paid by card"
	leftByPayout  = "32 payments are paid out, in addition"

	paidOut = 32 // payments in that payout
)

// use is what one row tells.
type use struct {
	reads, writes      float64 // units
	list, due, history float64 // of writes, by the index
	calls, changes     float64 // to the table; of them, those that change it
}

// less is what u takes more than v.
func (u use) less(v use) use {
	return use{u.reads - v.reads, u.writes - v.writes, u.list - v.list, u.due - v.due, u.history - v.history,
		u.calls - v.calls, u.changes - v.changes}
}

func (u use) plus(v use) use { return u.less(use{}.less(v)) }

// left is what stays in the table, in bytes.
type left struct{ table, indexes float64 }

// capacity is the measured table.
type capacity struct {
	uses map[string]use
	left map[string]left
}

var (
	needed     = []string{create, createOnce, charge, challenged, complete, saving, retrieve, refund, receipt, callback, payout}
	neededLeft = []string{leftByPayment, leftByPayout}
)

// readCapacity reads the file's two tables. Errors: a row that cannot be read,
// or one that is missing.
func readCapacity(text string) (capacity, error) {
	c := capacity{map[string]use{}, map[string]left{}}
	var columns []string
	for line := range strings.Lines(text) {
		cells, ok := cellsOf(line)
		switch {
		case !ok:
			columns = nil
		case columns == nil:
			columns = cells
		case strings.Trim(line, "|-: \n") == "": // the line below the heads
		default:
			if err := c.take(row{columns, cells}); err != nil {
				return c, fmt.Errorf("%s: %w", cells[0], err)
			}
		}
	}
	for _, name := range needed {
		if _, ok := c.uses[name]; !ok {
			return c, fmt.Errorf("the measured table has no row %q", name)
		}
	}
	for _, name := range neededLeft {
		if _, ok := c.left[name]; !ok {
			return c, fmt.Errorf("the measured table has no row %q", name)
		}
	}
	return c, nil
}

func cellsOf(line string) ([]string, bool) {
	line = strings.TrimSpace(line)
	if !strings.HasPrefix(line, "|") || !strings.HasSuffix(line, "|") || len(line) < 2 {
		return nil, false
	}
	cells := strings.Split(line[1:len(line)-1], "|")
	for i := range cells {
		cells[i] = strings.TrimSpace(cells[i])
	}
	return cells, true
}

type row struct{ columns, cells []string }

func (r row) cell(column string) (string, error) {
	at := slices.Index(r.columns, column)
	if at < 0 || at >= len(r.cells) {
		return "", fmt.Errorf("there is no column %q", column)
	}
	return r.cells[at], nil
}

// numbers reads columns into fields.
func (r row) numbers(fields map[string]*float64) error {
	for column, field := range fields {
		text, err := r.cell(column)
		if err != nil {
			return err
		}
		if *field, err = strconv.ParseFloat(text, 64); err != nil {
			return fmt.Errorf("%s: %w", column, err)
		}
	}
	return nil
}

func (c capacity) take(r row) error {
	name := r.cells[0]
	switch r.columns[0] {
	case "request":
		var u use
		err := r.numbers(map[string]*float64{"calls": &u.calls, "RCU": &u.reads, "WCU": &u.writes,
			"list": &u.list, "due": &u.due, "history": &u.history})
		if err != nil {
			return err
		}
		which, err := r.cell("which")
		u.changes = changesIn(which)
		c.uses[name] = u
		return err
	case "after":
		var l left
		err := r.numbers(map[string]*float64{"bytes": &l.table, "bytes in indexes": &l.indexes})
		c.left[name] = l
		return err
	default:
		return fmt.Errorf("there is no table of %q", r.columns[0])
	}
}

// changing are calls that change items, with how many there are where the row
// counts them: "8 TransactWriteItems".
var changing = regexp.MustCompile(`(?:(\d+) )?(?:TransactWriteItems|BatchWriteItem|PutItem|UpdateItem|DeleteItem)`)

func changesIn(which string) (n float64) {
	for _, found := range changing.FindAllStringSubmatch(which, -1) {
		count, err := strconv.ParseFloat(found[1], 64)
		if err != nil { // not counted: it is one
			count = 1
		}
		n += count
	}
	return n
}
