package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/functions"
)

const bucketKind = "AWS::S3::Bucket"

// bucket returns the stack's only bucket.
func (s *synthesis) bucket(t *testing.T) (id string, r resource) {
	t.Helper()
	all := s.all(bucketKind)
	if len(all) != 1 {
		t.Fatalf("got buckets %v, want one", all)
	}
	for id, r = range all {
	}
	return id, r
}

func TestAddBucket_PrivateEncryptedVersioned(t *testing.T) {
	t.Parallel()
	for _, s := range []*synthesis{inDev(t), inProd(t)} {
		s.want(t, bucketKind, map[string]any{
			"PublicAccessBlockConfiguration": map[string]any{"BlockPublicAcls": true, "BlockPublicPolicy": true,
				"IgnorePublicAcls": true, "RestrictPublicBuckets": true},
			"OwnershipControls": map[string]any{"Rules": []any{map[string]any{"ObjectOwnership": "BucketOwnerEnforced"}}},
			"BucketEncryption": map[string]any{"ServerSideEncryptionConfiguration": []any{map[string]any{
				"BucketKeyEnabled": true, "ServerSideEncryptionByDefault": map[string]any{"SSEAlgorithm": "aws:kms",
					"KMSMasterKeyID": arn(s.keyOf(t, "files"))}}}},
			"VersioningConfiguration": map[string]any{"Status": "Enabled"},
			"LifecycleConfiguration": map[string]any{"Rules": []any{map[string]any{"Status": "Enabled",
				"NoncurrentVersionExpiration":    map[string]any{"NoncurrentDays": 7},
				"AbortIncompleteMultipartUpload": map[string]any{"DaysAfterInitiation": 1},
				"ExpiredObjectDeleteMarker":      true}}},
		})
	}
	_, r := inProd(t).bucket(t)
	if got, want := r.Properties["BucketName"], "cashwrap-prod-files-111122223333-eu-central-1"; got != want {
		t.Errorf("got name %v, want %s", got, want)
	}
	if got := inProd(t).outputs["FileBucket"].Value; toJSON(got) == "null" {
		t.Errorf("got output FileBucket %v, want the bucket", got)
	}
}

// TestAddBucket_NameLength checks the name in the longest stage and region. S3 allows 63 characters.
func TestAddBucket_NameLength(t *testing.T) {
	t.Parallel()
	longest := len("cashwrap--files--") + maxStage + len("111122223333") + len("ap-southeast-2")
	if longest > 63 {
		t.Errorf("got a name of %d characters, want at most 63", longest)
	}
}

// denials returns the statements of the bucket's policy, which only denies.
func (s *synthesis) denials(t *testing.T) (all []statement) {
	t.Helper()
	id, _ := s.bucket(t)
	for _, r := range s.all("AWS::S3::BucketPolicy") {
		if toJSON(r.Properties["Bucket"]) != toJSON(ref(id)) {
			t.Errorf("got a policy of %s, want none but of %s", toJSON(r.Properties["Bucket"]), id)
		}
		all = append(all, statements(r.Properties["PolicyDocument"])...)
	}
	for _, one := range all {
		if one.effect != "Deny" || !slices.Equal(one.actions, []string{"s3:*"}) {
			t.Errorf("got %+v, want only denials of all actions", one)
		}
	}
	return all
}

// TestProtectBucket checks that the policy denies requests without TLS or with an older protocol, principals other than
// the functions, and links that last longer than the platform's links.
func TestProtectBucket(t *testing.T) {
	t.Parallel()
	s := inProd(t)
	id, _ := s.bucket(t)
	var roles []any
	for _, f := range functions.All {
		if _, r := s.function(t, prod, f.Name); f.Access().Objects {
			roles = append(roles, r.Properties["Role"])
		}
	}
	objects := below(id, "/*")
	var got, want []string
	for _, one := range s.denials(t) {
		got = append(got, toJSON(one.resources)+one.condition())
	}
	for _, c := range []struct {
		on         []any
		conditions map[string]map[string]any
	}{
		{[]any{arn(id), objects}, map[string]map[string]any{"Bool": {"aws:SecureTransport": "false"}}},
		{[]any{arn(id), objects}, map[string]map[string]any{"NumericLessThan": {"s3:TlsVersion": 1.2}}},
		{[]any{objects}, map[string]map[string]any{"ArnNotEquals": {"aws:PrincipalArn": roles}}},
		{[]any{objects}, map[string]map[string]any{"NumericGreaterThan": {"s3:signatureAge": 15 * 60 * 1000}}},
	} {
		want = append(want, toJSON(c.on)+statement{conditions: c.conditions}.condition())
	}
	if sorted(got) != sorted(want) {
		t.Errorf("got denials\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestAllowObjects_FunctionFilesOnly checks that only the function files has rights on S3.
func TestAllowObjects_FunctionFilesOnly(t *testing.T) {
	t.Parallel()
	for _, f := range functions.All {
		_, allowed := inDev(t).roleOf(t, dev, f.Name)
		reaches := false
		for action := range allowed {
			reaches = reaches || strings.HasPrefix(action, "s3:")
		}
		if reaches != (f.Name == "files") {
			t.Errorf("%s: got actions %v, want some of S3: %t", f.Name, allowed, f.Name == "files")
		}
	}
}

// TestCORSRules checks the permitted origins and headers. The permitted headers are the headers that links sign.
func TestCORSRules(t *testing.T) {
	t.Parallel()
	if _, r := inDev(t).bucket(t); r.Properties["CorsConfiguration"] != nil {
		t.Errorf("got %v, want no page permitted", r.Properties["CorsConfiguration"])
	}
	_, r := inProd(t).bucket(t)
	if got, want := toJSON(r.Properties["CorsConfiguration"]), toJSON(map[string]any{"CorsRules": []any{map[string]any{
		"AllowedMethods": []any{"PUT", "GET"}, "AllowedOrigins": []any{"https://a.example.com", "https://b.example.com"},
		"AllowedHeaders": []any{"content-type", "if-none-match", "x-amz-checksum-sha256"}, "MaxAge": 3600}}}); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
