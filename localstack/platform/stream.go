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

// Callbacks yields each new try to deliver a callback until ctx or the platform ends. Errors: ErrNotRunning, the reason
// why the platform cannot show or forward them.
func (f Folder) Callbacks(ctx context.Context, wants inspector.Listening) (iter.Seq2[inspector.Callback, error],
	error) {
	return streamed[inspector.Callback](ctx, f, callbacksPath, wants)
}

// Requests yields each new request to the API until ctx or the platform ends. Error: ErrNotRunning.
func (f Folder) Requests(ctx context.Context) (iter.Seq2[inspector.Request, error], error) {
	return streamed[inspector.Request](ctx, f, requestsPath, struct{}{})
}

// streamed returns the lines of JSON with which the platform answers a message.
func streamed[T any](ctx context.Context, f Folder, path string, message any) (iter.Seq2[T, error], error) {
	s, err := f.Surroundings()
	if err != nil {
		return nil, err
	}
	body, err := json.Marshal(message)
	if err != nil {
		return nil, err
	}
	response, err := s.Control.Put(ctx, path, bytes.NewReader(body)) //nolint:bodyclose // the sequence's end closes it
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		defer response.Body.Close()
		return nil, refusal(response)
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

func refusal(response *http.Response) error {
	reason, err := io.ReadAll(response.Body)
	return errors.Join(errors.New(strings.TrimSpace(string(reason))), err)
}
