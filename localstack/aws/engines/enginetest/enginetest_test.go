package enginetest_test

import (
	"net/http"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
)

func TestEndpointsAnswerAndStayTheSame(t *testing.T) {
	t.Parallel()
	if !enginetest.Oracle(t) {
		return
	}
	for name, endpoint := range map[string]func(testing.TB) string{
		"DynamoDB": enginetest.DynamoDB,
		"Fauxqs":   enginetest.Fauxqs,
	} {
		url := endpoint(t)
		res, err := http.Get(url)
		if err != nil {
			t.Fatalf("%s: got error %v, want an answer", name, err)
		}
		res.Body.Close()
		if again := endpoint(t); again != url {
			t.Errorf("%s: got %s the second time, want %s", name, again, url)
		}
	}
}

func TestARunningEngineIsUsed(t *testing.T) {
	t.Setenv("CASHWRAP_DYNAMODB_LOCAL", "http://127.0.0.1:1")
	t.Setenv("CASHWRAP_FAUXQS", "http://127.0.0.1:2")
	if got := enginetest.DynamoDB(t); got != "http://127.0.0.1:1" {
		t.Errorf("DynamoDB: got %s, want http://127.0.0.1:1", got)
	}
	if got := enginetest.Fauxqs(t); got != "http://127.0.0.1:2" {
		t.Errorf("Fauxqs: got %s, want http://127.0.0.1:2", got)
	}
}

func TestTheOracleCanBeRequired(t *testing.T) {
	t.Setenv("CASHWRAP_ORACLE", "required")
	t.Setenv("PATH", t.TempDir())
	if !enginetest.Oracle(t) {
		t.Error("required oracle: got false, want true")
	}
}

func TestAccessKeysDiffer(t *testing.T) {
	t.Parallel()
	if a, b := enginetest.AccessKey(t), enginetest.AccessKey(t); a == b || a == "" {
		t.Errorf("got access keys %q and %q, want two that differ", a, b)
	}
}
