// Package s3 is the part of Amazon S3 that the platform uses, for the unmodified SDK and presigned links. Make an
// Engine with New (objects in memory) or Open (in a folder), and use it in process as http.RoundTripper or behind a
// port as http.Handler. gofakes3 parses the requests. This package checks them and keeps the objects with their
// versions. Only the local run and tests import it.
//
// # Same as Amazon S3
//
//   - Each request is signed with the one pair of credentials (SigV4), in a header or the query. The signature covers
//     every x-amz-* header, and each signed header is present as signed. Buckets are private: an unsigned request gets
//     403.
//   - A link expires by the clock Config.Now. The date of any other request differs from the clock Config.CallsNow by
//     at most 15 minutes.
//   - A request is refused if its content does not match its Content-Length, x-amz-content-sha256, or
//     x-amz-checksum-sha256 or -crc32.
//   - A download has the upload's Content-Type, Content-Encoding, Content-Language, Content-Disposition, Cache-Control
//     and Expires, even if the upload did not sign them. The download's query can override them
//     (response-content-encoding and so on).
//   - If-None-Match: * never replaces an object, even if two requests run concurrently.
//
// # Differences from Amazon S3
//
// Each bucket has versioning from the start. There is one region and one pair of credentials, without permissions:
// infra checks the roles. A version that marks a deletion gives 404 where S3 gives 405. All operations except making a
// bucket, upload, download, deletion and listing versions give NotImplemented, as do multipart uploads, copies,
// streamed signatures and other checksums. Objects are at most 64 MB.
package s3
