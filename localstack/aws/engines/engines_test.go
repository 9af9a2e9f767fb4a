package engines_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/cashwrap/cashwrap/localstack/aws/engines"
	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
)

// parentVariable makes this test binary start both engines and wait to be killed.
const parentVariable = "CASHWRAP_TEST_ENGINE_PARENT"

func TestMain(m *testing.M) {
	if os.Getenv(parentVariable) != "" {
		runParent()
	}
	os.Exit(m.Run())
}

func runParent() {
	for _, start := range []starter{engines.StartDynamoDB, engines.StartFauxqs} {
		e, err := start(context.Background(), engines.Options{})
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println(e.Endpoint)
	}
	select {}
}

type starter = func(context.Context, engines.Options) (*engines.Engine, error)

var install = sync.OnceValue(func() error {
	root, err := engines.Root()
	if err != nil {
		return err
	}
	return errors.Join(engines.Check(), engines.Install(context.Background(), root))
})

func start(t *testing.T, start starter, o engines.Options) *engines.Engine {
	t.Helper()
	if err := install(); err != nil {
		t.Fatal(err)
	}
	e, err := start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Stop)
	return e
}

func dynamoDB(endpoint, accessKey string) *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		BaseEndpoint: aws.String(endpoint),
		Region:       "eu-central-1",
		Credentials:  credentials.NewStaticCredentialsProvider(accessKey, "local", ""),
	})
}

func createTable(t *testing.T, db *dynamodb.Client) {
	t.Helper()
	_, err := db.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName:            aws.String("cashwrap"),
		BillingMode:          types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("pk"), AttributeType: "S"}},
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("pk"), KeyType: "HASH"}},
	})
	if err != nil {
		t.Fatal(err)
	}
}

func listTables(t *testing.T, db *dynamodb.Client) []string {
	t.Helper()
	out, err := db.ListTables(t.Context(), &dynamodb.ListTablesInput{})
	if err != nil {
		t.Fatal(err)
	}
	return out.TableNames
}

func address(t *testing.T, endpoint string) string {
	t.Helper()
	u, err := url.Parse(endpoint)
	if err != nil {
		t.Fatal(err)
	}
	return u.Host
}

func wantRefused(t *testing.T, address string) {
	t.Helper()
	if conn, err := net.Dial("tcp", address); err == nil {
		conn.Close()
		t.Errorf("%s: got a connection, want none", address)
	}
}

func TestStartDynamoDB_AccessKeysAndDir(t *testing.T) {
	t.Parallel()
	enginetest.Only(t)
	dir := t.TempDir()
	first := start(t, engines.StartDynamoDB, engines.Options{Dir: dir, Port: enginetest.FreePort(t)})
	createTable(t, dynamoDB(first.Endpoint, "merchant1"))
	if got := listTables(t, dynamoDB(first.Endpoint, "merchant2")); len(got) != 0 {
		t.Errorf("another access key: got tables %v, want none", got)
	}
	first.Stop()
	first.Stop()
	wantRefused(t, address(t, first.Endpoint))

	second := start(t, engines.StartDynamoDB, engines.Options{Dir: dir})
	if got := listTables(t, dynamoDB(second.Endpoint, "merchant1")); len(got) != 1 {
		t.Errorf("after a restart: got tables %v, want one", got)
	}
}

func TestStartFauxqs_UntilStopped(t *testing.T) {
	t.Parallel()
	enginetest.Only(t)
	e := start(t, engines.StartFauxqs, engines.Options{Port: enginetest.FreePort(t)})
	client := sqs.New(sqs.Options{
		BaseEndpoint: aws.String(e.Endpoint),
		Region:       "eu-central-1",
		Credentials:  credentials.NewStaticCredentialsProvider("local", "local", ""),
	})
	if _, err := client.CreateQueue(t.Context(), &sqs.CreateQueueInput{QueueName: aws.String("callbacks")}); err != nil {
		t.Fatal(err)
	}
	e.Stop()
	<-e.Done()
	wantRefused(t, address(t, e.Endpoint))
}

// On Linux every address of 127.0.0.0/8 reaches a wildcard listener, so 127.0.0.2 represents any other interface.
func TestStart_LoopbackOnly(t *testing.T) {
	t.Parallel()
	enginetest.Only(t)
	for _, engine := range []starter{engines.StartDynamoDB, engines.StartFauxqs} {
		e := start(t, engine, engines.Options{})
		_, port, err := net.SplitHostPort(address(t, e.Endpoint))
		if err != nil {
			t.Fatal(err)
		}
		wantRefused(t, net.JoinHostPort("127.0.0.2", port))
	}
}

func TestStart_ParentKilled(t *testing.T) {
	t.Parallel()
	enginetest.Only(t)
	if err := install(); err != nil {
		t.Fatal(err)
	}
	parent := exec.Command(os.Args[0])
	parent.Env = append(os.Environ(), parentVariable+"=1")
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	var addresses []string
	for range 2 {
		var endpoint string
		if _, err := fmt.Fscanln(out, &endpoint); err != nil {
			t.Fatal(err)
		}
		addresses = append(addresses, address(t, endpoint))
	}
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = parent.Wait() // "signal: killed"
	for _, a := range addresses {
		awaitDeath(a)
	}
}

// awaitDeath returns when nothing listens at the address any more. It waits on a connection, which the dying engine
// closes.
func awaitDeath(address string) {
	for {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			return
		}
		_, _ = conn.Read(make([]byte, 1)) // returns when the engine closes the connection
		conn.Close()
	}
}

func TestStart_ReportsOutput(t *testing.T) {
	t.Parallel()
	enginetest.Only(t)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	if err = install(); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	_, err = engines.StartFauxqs(t.Context(), engines.Options{Port: taken.Addr().(*net.TCPAddr).Port, Log: &log})
	if err == nil || !strings.Contains(err.Error(), "EADDRINUSE") {
		t.Errorf("got error %v, want EADDRINUSE in it", err)
	}
	if !strings.Contains(log.String(), "EADDRINUSE") {
		t.Errorf("got log %q, want EADDRINUSE in it", &log)
	}
}

func TestStart_Refusals(t *testing.T) {
	t.Parallel()
	enginetest.Only(t)
	if err := install(); err != nil {
		t.Fatal(err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := engines.StartFauxqs(cancelled, engines.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got error %v, want %v", err, context.Canceled)
	}
	if _, err := engines.StartFauxqs(t.Context(), engines.Options{Dir: t.TempDir()}); err == nil {
		t.Error("fauxqs with a data folder it would ignore: got no error, want one")
	}
	for _, engine := range []starter{engines.StartDynamoDB, engines.StartFauxqs} {
		_, err := engine(t.Context(), engines.Options{Root: t.TempDir()})
		if err == nil || !strings.Contains(err.Error(), "not installed") {
			t.Errorf("empty root: got error %v, want that it is not installed", err)
		}
	}
}
