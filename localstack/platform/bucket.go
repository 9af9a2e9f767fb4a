package platform

import (
	"errors"
	"fmt"
	"net/http"

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

// withBucket adds an S3 to the backend, which also serves clients that have a link.
func (b backend) withBucket(f Folder, disk wal.Options) (backend, error) {
	objects, err := openObjects(f, disk)
	if err != nil {
		return b, errors.Join(err, b.stop())
	}
	atItsHost := func(r *http.Request, host string) bool { return r.URL.Host == host }
	b, address, err := b.with(objects, atItsHost, func() error {
		refused := objects.Refused()
		if refused != nil {
			refused = fmt.Errorf("the last file could not be kept and was refused; everything acknowledged is kept: %w", refused)
		}
		return errors.Join(refused, objects.Close())
	})
	b.S3 = address
	return b, err
}
