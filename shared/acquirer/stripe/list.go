package stripe

import (
	"context"
	"errors"
	"iter"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// pageSize is the largest page of a list that Stripe gives.
const pageSize = 100

// errSamePage reports a page of a list that has more, but no page after this one.
var errSamePage = errors.New("stripe: a page of a list is empty, or the same again")

// listed is an object of a list.
type listed interface{ stripeID() string }

// listAll walks a list of Stripe's page by page. An error ends the walk.
func listAll[T listed](ctx context.Context, c *client, path string, form url.Values) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		page := maps.Clone(form)
		page.Set("limit", strconv.Itoa(pageSize))
		for last := ""; ; {
			var answer struct {
				Data    []T  `json:"data"`
				HasMore bool `json:"has_more"`
			}
			err := c.send(ctx, call{method: http.MethodGet, path: path, form: page}, &answer)
			if err == nil && answer.HasMore && (len(answer.Data) == 0 || answer.Data[len(answer.Data)-1].stripeID() == last) {
				err = errSamePage
			}
			if err != nil {
				yield(none, err)
				return
			}
			for _, object := range answer.Data {
				if !yield(object, nil) {
					return
				}
				last = object.stripeID()
			}
			page.Set("starting_after", last)
			if !answer.HasMore {
				return
			}
		}
	}
}

// createdSince returns the parameters of a list of the objects that were created at the time or later. For the zero
// time it lists all.
func createdSince(since time.Time) url.Values {
	form := url.Values{}
	if !since.IsZero() {
		form.Set("created[gte]", strconv.FormatInt(since.Unix(), 10))
	}
	return form
}

// before returns a time that is earlier by the duration. The zero time stays zero.
func before(since time.Time, by time.Duration) time.Time {
	if since.IsZero() {
		return since
	}
	return since.Add(-by)
}

// withType restricts a list to the objects of a type.
func withType(form url.Values, kind string) url.Values {
	form.Set("type", kind)
	return form
}
