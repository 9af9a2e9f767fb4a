package s3

import (
	"cmp"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/cashwrap/cashwrap/shared/file"
)

// listed are the versions of a page and its markers of deletions, which the SDK gives apart, in the order of keys, the
// newest of a key first.
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
