package platform

import (
	"crypto/rand"
	"io"
	"log/slog"
	"maps"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
	"github.com/cashwrap/cashwrap/localstack/lambda/runner"
	"github.com/cashwrap/cashwrap/shared/app"
)

func startSeedable(t *testing.T) *runner.Runner {
	t.Helper()
	e := runner.Engines{DynamoDB: enginetest.Table(t), SQS: enginetest.Queues(t), AccessKey: enginetest.AccessKey(t)}
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	r, err := runner.Start(t.Context(), runner.Config{
		Environment: e.Environment([]byte("a secret for the seed's own tests"), time.Now()), QueuePrefix: rand.Text() + "-",
		Overrides: app.Overrides{Credentials: e.Credentials(), Log: log}, Addr: "127.0.0.1:0", Manual: true, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Stop)
	return r
}

func TestMerchantsAreSeededOnceAndAgainWhenTheDataIsGone(t *testing.T) {
	t.Parallel()
	place, r := newFolder(t), startSeedable(t)
	first, err := seed(t.Context(), place, r)
	if err != nil {
		t.Fatal(err)
	}
	again, err := seed(t.Context(), place, r)
	if err != nil || !maps.Equal(first, again) {
		t.Errorf("seeded again: got %v and error %v, want %v", again, err, first)
	}
	emptied, err := seed(t.Context(), place, startSeedable(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"API_KEY", "OTHER_API_KEY", "MERCHANT_CODE"} {
		if emptied[name] == first[name] {
			t.Errorf("%s: got %s, that of data that is gone, want another", name, emptied[name])
		}
	}
	if written, err := place.ReadEnv(); err != nil || !maps.Equal(written, emptied) {
		t.Errorf("%s: got %v and error %v, want %v", envFile, written, err, emptied)
	}
}
