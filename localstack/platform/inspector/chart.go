package inspector

import (
	"fmt"
	"strconv"

	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// Sizes in the units of the drawings.
const (
	barWidth    = 10
	barGap      = 2
	chartHeight = 60
	minHeight   = 4
	minColumns  = 24

	timelineWidth = 1000
	timelineRow   = 6
)

// bar is a rectangle of the page's SVG. Chart libraries are not used: they put styles into their elements, which the
// page's Content-Security-Policy forbids.
type bar struct{ x, y, width, height, class, text string }

type chartView struct {
	bars []bar
	good int
}

func (c chartView) box() string {
	return fmt.Sprintf("0 0 %d %d", columns(len(c.bars))*barWidth, chartHeight)
}

// columns returns the number of columns: one column for each bar, but at least minColumns. A chart with few bars thus
// has narrow bars.
func columns(bars int) int { return max(minColumns, bars) }

// summary describes the chart to people who cannot see it.
func (c chartView) summary() string {
	return fmt.Sprintf("The latest %d payments, of which %d were successful", len(c.bars), c.good)
}

// barsOf draws payments, given latest first. A bar's height is the amount's share of the largest in its currency.
func barsOf(latest []payment) chartView {
	largest := map[money.Currency]int64{}
	for _, p := range latest {
		largest[p.Amount.Currency()] = max(largest[p.Amount.Currency()], p.Amount.Minor(), 1)
	}
	var c chartView
	for i, p := range latest {
		height := max(minHeight, int(p.Amount.Minor()*chartHeight/largest[p.Amount.Currency()]))
		b := bar{
			x: strconv.Itoa((columns(len(latest)) - 1 - i) * barWidth), y: strconv.Itoa(chartHeight - height),
			width: strconv.Itoa(barWidth - barGap), height: strconv.Itoa(height), class: "good",
			text: amount(p.Amount) + " " + p.outcome() + " " + clockTime(p.CreatedAt),
		}
		switch payments.TransactionStatus(p.RawStatus) {
		case payments.TransactionSuccessful:
			c.good++
		case payments.TransactionPending:
			b.class = "odd"
		default:
			b.class = "bad"
		}
		c.bars = append(c.bars, b)
	}
	return c
}

func timelineBox(r *Request) string {
	return fmt.Sprintf("0 0 %d %d", timelineWidth, len(r.Steps)*timelineRow)
}

// timelineBars returns a bar per step of a request, one below the other, from the step's begin to its end.
func timelineBars(r *Request) []bar {
	at := func(t int64) int64 { return t * timelineWidth / max(1, int64(r.Took)) }
	var bars []bar
	for i, step := range r.Steps {
		b := bar{
			x: fmt.Sprint(at(int64(step.At))), width: fmt.Sprint(max(2, at(int64(step.Took)))),
			y: strconv.Itoa(i * timelineRow), height: strconv.Itoa(timelineRow - 1), class: "good",
		}
		if step.Fail != "" {
			b.class = "bad"
		}
		bars = append(bars, b)
	}
	return bars
}
