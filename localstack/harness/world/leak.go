package world

import (
	"context"
	"encoding/json"
	"iter"
	"regexp"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/localstack/harness/storedtest"
)

type secrets struct {
	mu   sync.Mutex
	text map[string]string // descriptions of the secrets, by secret
}

// Secret declares a text as secret. When the world ends, the text must not occur in the table, queues and logs.
func (w *World) Secret(what, text string) {
	w.secrets.mu.Lock()
	defer w.secrets.mu.Unlock()
	if w.secrets.text == nil {
		w.secrets.text = map[string]string{}
	}
	w.secrets.text[text] = what
}

// longSecret is the least length of a secret that does not occur by chance.
const longSecret = 32

// findLeaks searches the table, the queues and the logs for each declared secret. A long secret counts anywhere. A
// short secret counts only as a separate word, because many UUIDs contain the digits of a CVV.
func (w *World) findLeaks() {
	var queues strings.Builder
	w.must(w.Queues.Dump(&queues))
	places := map[string]string{"table": w.dumpTable(), "queues": queues.String(), "logs": w.Logs.String()}
	w.secrets.mu.Lock()
	defer w.secrets.mu.Unlock()
	for secret, what := range w.secrets.text {
		for place, text := range places {
			if found := leakContext(secret, text); found != "" {
				w.Errorf("a %s was found in the %s: %s", what, place, found)
			}
		}
	}
}

// defaultNames matches readers' default names, which end with four digits of a random serial number. These may be the
// digits of a CVV.
var defaultNames = regexp.MustCompile(`Reader [0-9A-F]{4}`)

// leakContext returns the text around a leaked secret, without the secret. It returns "" if the secret does not occur.
func leakContext(secret, text string) string {
	const most = 120
	word := regexp.QuoteMeta(secret)
	if len(secret) < longSecret {
		word = `(?:^|[^0-9A-Za-z_+/=-])` + word + `(?:$|[^0-9A-Za-z_+/=-])`
	}
	if !strings.Contains(text, secret) { // the pattern below is slow
		return ""
	}
	text = defaultNames.ReplaceAllString(text, "Reader")
	at := regexp.MustCompile(word).FindStringIndex(text)
	if at == nil {
		return ""
	}
	shown := text[max(0, at[0]-most):min(len(text), at[1]+most)]
	return strings.ReplaceAll(shown, secret, "[it]")
}

func (w *World) dumpTable() string {
	var dump strings.Builder
	for item := range w.readItems() {
		text, err := json.Marshal(item)
		if err != nil {
			w.Errorf("dump: %v", err)
		}
		dump.Write(text)
	}
	return dump.String()
}

func (w *World) readItems() iter.Seq[map[string]any] {
	return func(yield func(map[string]any) bool) {
		for _, item := range w.scanItems() {
			var plain map[string]any
			if err := attributevalue.UnmarshalMap(item, &plain); err != nil {
				w.Errorf("scan: %v", err)
			}
			if !yield(plain) {
				return
			}
		}
	}
}

func (w *World) scanItems() []dynamo.Item {
	_, table := w.App.Store.Raw()
	items, err := storedtest.Items(context.WithoutCancel(w.Context()), table) // the test's context has ended here
	if err != nil {
		w.Errorf("scan: %v", err)
	}
	return items
}
