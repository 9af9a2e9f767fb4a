// Package s3 stores the content of files in a private, versioned Amazon S3 bucket, as [file.Objects]. Make a Bucket
// with New. Only the function files links this package.
package s3

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/cashwrap/cashwrap/shared/file"
)

// Bucket is [file.Objects] in one bucket. It is safe for concurrent use.
//
// Its role needs s3:GetObject, s3:GetObjectVersion, s3:PutObject and s3:DeleteObjectVersion for the keys, and
// s3:ListBucketVersions and s3:ListBucket for the bucket. Without s3:ListBucket an absent key is a 403, not
// [file.ErrNoObject].
type Bucket struct {
	client *s3.Client
	name   string
}

var _ file.Objects = (*Bucket)(nil)

// New returns the bucket. It makes no call.
func New(c aws.Config, bucket string) *Bucket {
	return &Bucket{name: bucket, client: s3.NewFromConfig(c, func(o *s3.Options) {
		// The SDK would sign the CRC32 of the content. A link has no content yet, so S3 would refuse every upload.
		o.RequestChecksumCalculation = aws.RequestChecksumCalculationWhenRequired
		o.ResponseChecksumValidation = aws.ResponseChecksumValidationWhenRequired
		o.UsePathStyle = c.BaseEndpoint != nil // a local endpoint has no host for each bucket
		o.DisableS3ExpressSessionAuth = aws.Bool(true)
	})}
}

// Open reads the latest version. Errors: file.ErrNoObject; the error of the call.
func (b *Bucket) Open(ctx context.Context, key string) (file.Object, error) {
	out, err := b.client.GetObject(ctx, &s3.GetObjectInput{Bucket: &b.name, Key: &key})
	if err != nil {
		return file.Object{}, openError(err)
	}
	return file.Object{
		Revision:    aws.ToString(out.VersionId),
		Size:        aws.ToInt64(out.ContentLength),
		ContentType: aws.ToString(out.ContentType),
		Encoding:    aws.ToString(out.ContentEncoding), // not decoded: the SDK asks for S3's bytes as they are
		Content:     out.Body,
	}, nil
}

// openError returns file.ErrNoObject for a key without versions, or whose latest version marks a deletion.
func openError(err error) error {
	if _, none := errors.AsType[*types.NoSuchKey](err); none {
		return fmt.Errorf("%w: %w", file.ErrNoObject, err)
	}
	return err
}

// Delete deletes every version of the key by its id, and every mark of a deletion. It reads the versions first, so a
// version that is uploaded meanwhile stays. If a call fails, Delete returns its error; the versions deleted before stay
// deleted.
func (b *Bucket) Delete(ctx context.Context, key string) error {
	for {
		page, err := b.client.ListObjectVersions(ctx, &s3.ListObjectVersionsInput{Bucket: &b.name, Prefix: &key})
		if err != nil {
			return err
		}
		if err := b.deleteListed(ctx, key, page); err != nil {
			return err
		}
		// Longer keys with this prefix come after all versions of the key.
		if !aws.ToBool(page.IsTruncated) || aws.ToString(page.NextKeyMarker) != key {
			return nil
		}
	}
}

// deleteListed deletes the versions of a key that a page lists. It deletes marks of deletions last, because they hide
// earlier versions.
func (b *Bucket) deleteListed(ctx context.Context, key string, page *s3.ListObjectVersionsOutput) error {
	var versions []*string
	for _, v := range page.Versions {
		if aws.ToString(v.Key) == key {
			versions = append(versions, v.VersionId)
		}
	}
	for _, m := range page.DeleteMarkers {
		if aws.ToString(m.Key) == key {
			versions = append(versions, m.VersionId)
		}
	}
	for _, version := range versions {
		in := &s3.DeleteObjectInput{Bucket: &b.name, Key: &key, VersionId: version}
		if _, err := b.client.DeleteObject(ctx, in); err != nil {
			return err
		}
	}
	return nil
}

// List walks the versions page by page, 1,000 per call. It ends after the first error.
func (b *Bucket) List(ctx context.Context, prefix, after string) iter.Seq2[file.Listed, error] {
	return func(yield func(file.Listed, error) bool) {
		in := &s3.ListObjectVersionsInput{Bucket: &b.name, Prefix: &prefix}
		if after != "" {
			in.KeyMarker = &after
		}
		for {
			page, err := b.client.ListObjectVersions(ctx, in)
			if err != nil {
				yield(file.Listed{}, err)
				return
			}
			for _, one := range listed(page) {
				if !yield(one, nil) {
					return
				}
			}
			if !aws.ToBool(page.IsTruncated) {
				return
			}
			in.KeyMarker, in.VersionIdMarker = page.NextKeyMarker, page.NextVersionIdMarker
		}
	}
}

// listed returns a page's versions and marks of deletions by key, newest first. The SDK has them in separate lists.
func listed(page *s3.ListObjectVersionsOutput) []file.Listed {
	all := make([]file.Listed, 0, len(page.Versions)+len(page.DeleteMarkers))
	for _, v := range page.Versions {
		all = append(all, file.Listed{
			Key: aws.ToString(v.Key), Revision: aws.ToString(v.VersionId), Size: aws.ToInt64(v.Size),
			StoredAt: aws.ToTime(v.LastModified),
		})
	}
	for _, m := range page.DeleteMarkers {
		all = append(all, file.Listed{
			Key: aws.ToString(m.Key), Revision: aws.ToString(m.VersionId), Deletion: true,
			StoredAt: aws.ToTime(m.LastModified),
		})
	}
	slices.SortStableFunc(all, func(a, b file.Listed) int {
		return cmp.Or(cmp.Compare(a.Key, b.Key), b.StoredAt.Compare(a.StoredAt))
	})
	return all
}
