package platform

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/cashwrap/cashwrap/localstack/aws/s3"
	"github.com/cashwrap/cashwrap/localstack/aws/wal"
	"github.com/cashwrap/cashwrap/localstack/lambda/runner"
)

// objectsDir in the folder has the content of files.
const objectsDir = "objects"

// makeObjects makes the log of objects, unless there is one.
func makeObjects(f Folder, disk wal.Options) error {
	if there, err := wal.Exists(f.path(objectsDir), s3.LogName); err != nil || there {
		return err
	}
	engine, err := openObjects(f, disk)
	if err != nil {
		return err
	}
	return engine.Close()
}

// openObjects opens the S3 with the bucket of files, as the last run left it. Its clock is the real one whatever the
// platform's is: by that the links are signed (App.WallNow).
func openObjects(f Folder, disk wal.Options) (*s3.Engine, error) {
	engine, err := s3.Open(s3.Config{Credentials: runner.Engines{AccessKey: accessKey}.Keys(), Region: runner.Region,
		Notice: notice}, f.path(objectsDir), disk)
	if err != nil {
		return nil, err
	}
	if err = engine.CreateBucket(runner.Bucket); err != nil {
		return nil, errors.Join(err, engine.Close())
	}
	return engine, nil
}

// withBucket is the backend with an S3. It listens on a port, for functions that run beside this process and for
// whoever has a link.
func (b backend) withBucket(f Folder, disk wal.Options) (backend, error) {
	objects, err := openObjects(f, disk)
	if err != nil {
		return b, errors.Join(err, b.stop())
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return b, errors.Join(err, b.stop(), objects.Close())
	}
	server := &http.Server{Handler: objects, ReadHeaderTimeout: 10 * time.Second}
	ended := make(chan struct{})
	go func() { defer close(ended); _ = server.Serve(listener) }()
	address := listener.Addr().String()
	b.S3 = "http://" + address
	if b.http != nil {
		b.http = bucket{objects, address, b.http}
	}
	engines := b.stop
	b.stop = sync.OnceValue(func() error {
		_ = server.Close()
		<-ended
		err := objects.Refused()
		if err != nil {
			err = fmt.Errorf("the last file could not be kept and was refused; everything acknowledged is kept: %w", err)
		}
		return errors.Join(err, objects.Close(), engines())
	})
	return b, nil
}

// bucket carries calls to S3 without a socket.
type bucket struct {
	objects *s3.Engine
	address string // of S3
	others  aws.HTTPClient
}

// Do carries a call of this process.
func (b bucket) Do(r *http.Request) (*http.Response, error) {
	if r.URL.Host == b.address {
		return b.objects.RoundTrip(r)
	}
	return b.others.Do(r)
}
