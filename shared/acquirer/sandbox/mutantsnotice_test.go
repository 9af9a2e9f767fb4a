package sandbox_test

import (
	"context"
	"encoding/json"
	"iter"
	"net/textproto"
	"time"

	"github.com/cashwrap/cashwrap/shared/acquirer"
)

var noticeMutants = map[string]mutant{
	"believes every notice": {func(o *override, _ *memory) {
		o.notice = func(_ textproto.MIMEHeader, body []byte) ([]acquirer.Hint, error) {
			return nil, json.Unmarshal(body, new(any))
		}
	}, []string{"Notice_Forged"}},
	"takes refunds for charges": {func(o *override, _ *memory) {
		o.notice = func(header textproto.MIMEHeader, body []byte) ([]acquirer.Hint, error) {
			hints, err := o.Acquirer.Notice(header, body)
			for i := range hints {
				hints[i].IsRefund = false
			}
			return hints, err
		}
	}, []string{"Notice_Genuine"}},
	"looks up what a notice names": {func(o *override, _ *memory) {
		o.notice = func(header textproto.MIMEHeader, body []byte) ([]acquirer.Hint, error) {
			_, _ = o.LookUp(context.Background(), "c")
			return o.Acquirer.Notice(header, body)
		}
	}, []string{"Notice_Genuine"}},
	"hints at nothing": {func(o *override, _ *memory) {
		o.hints = func(context.Context, time.Time) iter.Seq2[acquirer.Hint, error] {
			return func(func(acquirer.Hint, error) bool) {}
		}
	}, []string{"Hints_LateOutcomes"}},
	"hints at charges alone": {func(o *override, _ *memory) {
		o.hints = func(ctx context.Context, since time.Time) iter.Seq2[acquirer.Hint, error] {
			return func(yield func(acquirer.Hint, error) bool) {
				for h, err := range o.Acquirer.Hints(ctx, since) {
					if !h.IsRefund && !yield(h, err) {
						return
					}
				}
			}
		}
	}, []string{"Hints_LateOutcomes"}},
}
