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
	// oldVersionDays is for how many days content deleted at S3 can be restored; the platform deletes versions for good.
	oldVersionDays = 7
	// partDays is how many days parts of an upload are kept that was never completed. Links permit no upload in parts.
	partDays = 1
	// corsAge is how long a browser may remember what the bucket permits to a page.
	corsAge = time.Hour
)

// addBucket adds the files' bucket. Its fixed name has account and region, as all accounts of AWS share names.
func (p *platform) addBucket() {
	p.fileKey = p.addKey("FileKey", "files", "the content of files")
	p.bucket = awss3.NewBucket(p.stack, text("Bucket"), &awss3.BucketProps{
		BucketName:        text(p.name("files") + "-" + *p.stack.Account() + "-" + *p.stack.Region()),
		Encryption:        awss3.BucketEncryption_KMS,
		EncryptionKey:     p.fileKey,
		BucketKeyEnabled:  yes, // else each upload and download is a call to KMS
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
		Cors:          p.cors(),
		RemovalPolicy: p.lasting(),
	})
}

// cors lets pages of the settings' origins use links; nil: no page may. Merchants' servers need none of this.
func (p *platform) cors() *[]*awss3.CorsRule {
	origins := strings.Fields(p.FileOrigins)
	if len(origins) == 0 {
		return nil
	}
	return &[]*awss3.CorsRule{{
		AllowedMethods: &[]awss3.HttpMethods{awss3.HttpMethods_PUT, awss3.HttpMethods_GET},
		AllowedOrigins: jsii.Strings(origins...),
		AllowedHeaders: jsii.Strings("content-type", "if-none-match", "x-amz-checksum-sha256"), // those that are signed
		MaxAge:         jsii.Number(corsAge.Seconds()),
	}}
}

// protectBucket denies every principal, also operators, access other than the functions', and links older than any that
// the platform signs. To reach more, change the policy first (see protectTable).
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

// What the functions do with objects, or sign links for, by what IAM allows it on. Deletions are of versions; one
// without a version would only hide the content.
var (
	onObjects = []string{"s3:GetObject", "s3:GetObjectVersion", "s3:PutObject", "s3:DeleteObjectVersion"}
	// Without ListBucket a read of what is not there is a 403 and not a 404.
	onBucket = []string{"s3:ListBucket", "s3:ListBucketVersions"}
)

// allowObjects lets a role reach files in a bucket of this account: if ours is deleted, anybody may take its name.
// Reads have no prefix, so the condition must allow that.
func (p *platform) allowObjects(role awsiam.Role) {
	ours := map[string]any{"s3:ResourceAccount": p.stack.Account()}
	role.AddToPolicy(awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{
		Actions: jsii.Strings(onObjects...), Resources: &[]*string{p.bucket.ArnForObjects(text(file.Prefix + "*"))},
		Conditions: &map[string]any{"StringEquals": ours}}))
	role.AddToPolicy(awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{
		Actions: jsii.Strings(onBucket...), Resources: &[]*string{p.bucket.BucketArn()},
		Conditions: &map[string]any{"StringEquals": ours,
			"StringLikeIfExists": map[string]any{"s3:prefix": file.Prefix + "*"}}}))
	role.AddToPolicy(awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{
		Actions: jsii.Strings("kms:Decrypt", "kms:GenerateDataKey"), Resources: &[]*string{p.fileKey.KeyArn()},
		Conditions: &map[string]any{"StringEquals": map[string]any{
			"kms:ViaService": "s3." + *p.stack.Region() + ".amazonaws.com"}}}))
}
