package platform

import (
	"errors"

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
