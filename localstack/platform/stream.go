package platform

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"net/http"
	"strings"

	"github.com/cashwrap/cashwrap/localstack/platform/inspector"
)

// Callbacks yields each new attempt to deliver a callback until ctx or the platform ends. It fails with ErrNotRunning,
// or with the reason why the platform cannot show or forward callbacks.
func (f Folder) Callbacks(ctx context.Context, wants inspector.Listening) (iter.Seq2[inspector.Callback, error],
	error) {
	return openStream[inspector.Callback](ctx, f, callbacksPath, wants)
}

// Requests yields each new request to the API until ctx or the platform ends. It fails with ErrNotRunning.
func (f Folder) Requests(ctx context.Context) (iter.Seq2[inspector.Request, error], error) {
	return openStream[inspector.Request](ctx, f, requestsPath, struct{}{})
}

// openStream sends a message to the platform and returns the lines of JSON in its answer.
func openStream[T any](ctx context.Context, f Folder, path string, message any) (iter.Seq2[T, error], error) {
	s, err := f.Surroundings()
	if err != nil {
		return nil, err
	}
	body, err := json.Marshal(message)
	if err != nil {
		return nil, err
	}
	response, err := s.Control.Put(ctx, path, bytes.NewReader(body)) //nolint:bodyclose // closed by the sequence
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		defer response.Body.Close()
		return nil, readRefusal(response)
	}
	return func(yield func(T, error) bool) {
		defer response.Body.Close()
		for lines := json.NewDecoder(response.Body); ; {
			var one T
			err := lines.Decode(&one)
			if errors.Is(err, io.EOF) || ctx.Err() != nil {
				return
			}
			if !yield(one, err) || err != nil {
				return
			}
		}
	}, nil
}

func readRefusal(response *http.Response) error {
	reason, err := io.ReadAll(response.Body)
	return errors.Join(errors.New(strings.TrimSpace(string(reason))), err)
}
