// Package s3 is the platform's part of Amazon S3, under the unmodified SDK and presigned links: in process (Engine is
// an http.RoundTripper) or over a port (an http.Handler). Objects are in memory (New), or in a folder (Open). gofakes3
// understands the requests; this package checks the rest, and keeps the objects with their versions. Only the local run
// and tests import it.
//
// # What is as in Amazon's
//
//   - Each request is signed by the one pair of credentials (SigV4), in a header or its query, with every header
//     x-amz-*; each signed header is there, as signed. An unsigned request is 403: buckets are private.
//   - A link expires by Config.Now. Another request's date is at most 15 minutes off, by Config.CallsNow.
//   - The content has the length, the x-amz-content-sha256 and the x-amz-checksum-sha256 or -crc32 of the request.
//   - An upload's Content-Type, Content-Encoding, Content-Language, Content-Disposition, Cache-Control and Expires come
//     with its download, signed or not, unless the query has another (response-content-encoding and so on).
//   - If-None-Match: * never replaces an object, also when two requests run side by side.
//
// # Differences from Amazon's
//
// Each bucket has versioning from its start. There is one region and one pair of credentials, without permissions:
// infra checks the roles. A version that marks a deletion is 404 where S3 says 405. NotImplemented are all operations
// but making a bucket, upload, download, deletion and lists of versions; also uploads in parts, copies, streamed
// signatures and other checksums. Objects are at most 64 MB.
package s3
