package main

import (
	"strings"
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awss3"
	"github.com/aws/jsii-runtime-go"

	"github.com/cashwrap/cashwrap/shared/file"
)

const (
	// oldVersionDays is the number of days for which S3 keeps deleted content restorable. When the platform itself deletes
	// content, it deletes the versions, so that content cannot be restored.
	oldVersionDays = 7
	// partDays limits how long S3 keeps parts of incomplete uploads. Our links permit no upload in parts.
	partDays = 1
	// corsAge limits how long a browser may cache the bucket's CORS answer.
	corsAge = time.Hour
)

// addBucket adds the bucket for files. A bucket's name must be unique among all AWS accounts, so the name includes
// account and region.
func (p *platform) addBucket() {
	p.fileKey = p.addKey("FileKey", "files", "the content of files")
	p.bucket = awss3.NewBucket(p.stack, text("Bucket"), &awss3.BucketProps{
		BucketName:        text(p.name("files") + "-" + *p.stack.Account() + "-" + *p.stack.Region()),
		Encryption:        awss3.BucketEncryption_KMS,
		EncryptionKey:     p.fileKey,
		BucketKeyEnabled:  yes, // otherwise each upload and download calls KMS
		BlockPublicAccess: awss3.BlockPublicAccess_BLOCK_ALL(),
		ObjectOwnership:   awss3.ObjectOwnership_BUCKET_OWNER_ENFORCED,
		EnforceSSL:        yes,
		MinimumTLSVersion: jsii.Number(1.2),
		Versioned:         yes,
		LifecycleRules: &[]*awss3.LifecycleRule{{
			Id:                                  text("leftovers"),
			NoncurrentVersionExpiration:         awscdk.Duration_Days(number(oldVersionDays)),
			ExpiredObjectDeleteMarker:           yes,
			AbortIncompleteMultipartUploadAfter: awscdk.Duration_Days(number(partDays)),
		}},
		Cors:          p.corsRules(),
		RemovalPolicy: p.removalPolicy(),
	})
}

// corsRules returns the CORS rules that let pages of the configured origins use the files' links. Without origins it
// returns nil, so no page can use the links. Merchants' servers need no CORS rule.
func (p *platform) corsRules() *[]*awss3.CorsRule {
	origins := strings.Fields(p.FileOrigins)
	if len(origins) == 0 {
		return nil
	}
	return &[]*awss3.CorsRule{{
		AllowedMethods: &[]awss3.HttpMethods{awss3.HttpMethods_PUT, awss3.HttpMethods_GET},
		AllowedOrigins: jsii.Strings(origins...),
		AllowedHeaders: jsii.Strings("content-type", "if-none-match", "x-amz-checksum-sha256"), // the signed headers
		MaxAge:         jsii.Number(corsAge.Seconds()),
	}}
}

// protectBucket denies access to objects to all principals except the functions. This includes operators: to get
// access, an operator must change the policy first (see protectTable). The policy also denies a link that is older than
// the longest validity of the platform's links.
func (p *platform) protectBucket() {
	var readers []string
	for _, f := range p.functions {
		if f.Access().Objects {
			readers = append(readers, *f.role.RoleArn())
		}
	}
	only := map[string]any{}
	if len(readers) > 0 {
		only["ArnNotEquals"] = map[string]any{"aws:PrincipalArn": readers}
	}
	p.denyObjects("OnlyItsFunctionsReachObjects", only)
	p.denyObjects("NoLinkLastsLonger", map[string]any{"NumericGreaterThan": map[string]any{
		"s3:signatureAge": max(file.UploadTime, file.DownloadTime).Milliseconds()}})
}

func (p *platform) denyObjects(id string, conditions map[string]any) {
	p.bucket.AddToResourcePolicy(awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{
		Sid: &id, Effect: awsiam.Effect_DENY, Actions: jsii.Strings("s3:*"),
		Principals: &[]awsiam.IPrincipal{awsiam.NewAnyPrincipal()},
		Resources:  &[]*string{p.bucket.ArnForObjects(text("*"))},
		Conditions: &conditions,
	}))
}

// Actions that functions and their signed links need, by resource. Functions delete versions, because a deletion
// without a version would only hide the content.
var (
	objectActions = []string{"s3:GetObject", "s3:GetObjectVersion", "s3:PutObject", "s3:DeleteObjectVersion"}
	// Without ListBucket, reading a missing object returns 403 instead of 404.
	bucketActions = []string{"s3:ListBucket", "s3:ListBucketVersions"}
)

// allowObjects lets a role access files, but only in a bucket of this account. If our bucket were deleted, another
// account could create a bucket with the same name. Requests that read an object have no prefix, so the condition on
// the prefix also allows requests without a prefix.
func (p *platform) allowObjects(role awsiam.Role) {
	ours := map[string]any{"s3:ResourceAccount": p.stack.Account()}
	role.AddToPolicy(awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{
		Actions: jsii.Strings(objectActions...), Resources: &[]*string{p.bucket.ArnForObjects(text(file.Prefix + "*"))},
		Conditions: &map[string]any{"StringEquals": ours}}))
	role.AddToPolicy(awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{
		Actions: jsii.Strings(bucketActions...), Resources: &[]*string{p.bucket.BucketArn()},
		Conditions: &map[string]any{"StringEquals": ours,
			"StringLikeIfExists": map[string]any{"s3:prefix": file.Prefix + "*"}}}))
	role.AddToPolicy(awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{
		Actions: jsii.Strings("kms:Decrypt", "kms:GenerateDataKey"), Resources: &[]*string{p.fileKey.KeyArn()},
		Conditions: &map[string]any{"StringEquals": map[string]any{
			"kms:ViaService": "s3." + *p.stack.Region() + ".amazonaws.com"}}}))
}
