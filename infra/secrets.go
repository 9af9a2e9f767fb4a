package main

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awskms"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssecretsmanager"
)

// secretLength in characters of the base64 alphabet, a multiple of four: 48
// bytes, of which app.Config wants 32 at least.
const secretLength = 64

// punctuation is what a secret is drawn without: letters and digits alone are
// base64. ExcludePunctuation says it to AWS; emulators know the list only.
const punctuation = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"

// keyWaiting in days is how long a key of dev can be called back: the least
// KMS offers.
const keyWaiting = 7

// addSecret makes the one secret that every key is derived from. It is drawn
// at the first deployment and never seen by anyone.
//
// Functions get it in their environment, resolved by CloudFormation while it
// deploys. Reading it at every start instead would cost each cold start a
// round trip and a third AWS client, and fail payments whenever Secrets
// Manager does not answer. The price: the value also lies in the functions'
// configuration, so that is encrypted under a key of the platform's own, and
// reading it takes that key besides the right to read the function; and a new
// value reaches the functions with the next deployment only.
//
// To rotate, put a new value, then deploy with its VersionId as secretVersion
// and the time as secretSince. Naming the version lets all functions change
// in one deployment, and takes them back together when it fails.
func (p *platform) addSecret() {
	p.key = awskms.NewKey(p.stack, text("Key"), &awskms.KeyProps{
		Alias:             text("alias/" + p.name("")),
		Description:       text("Cashwrap, " + p.Stage + ": the platform secret and the functions' environments"),
		EnableKeyRotation: yes,
		PendingWindow:     awscdk.Duration_Days(number(keyWaiting)),
		RemovalPolicy:     p.lasting(),
	})
	p.secret = awssecretsmanager.NewSecret(p.stack, text("Secret"), &awssecretsmanager.SecretProps{
		Description: text("Cashwrap, " + p.Stage + ": every key of the platform is derived from this"),
		GenerateSecretString: &awssecretsmanager.SecretStringGenerator{
			PasswordLength: number(secretLength), ExcludePunctuation: yes, ExcludeCharacters: text(punctuation),
		},
		RemovalPolicy: p.lasting(),
	})
	// Given as EncryptionKey, it would get a policy with wildcards for what the account's own rights allow already.
	p.secret.Node().DefaultChild().(awssecretsmanager.CfnSecret).SetKmsKeyId(p.key.KeyArn())
	suppress(p.secret, "AwsSolutions-SMG4", "Every key of the platform is derived from it, so it is changed by an "+
		"operator's decision and with a deployment, never by a timer.")
}

// secretValue is the reference that CloudFormation resolves.
func (p *platform) secretValue() *string {
	options := &awscdk.SecretsManagerSecretOptions{}
	if p.SecretVersion != "" {
		options.VersionId = &p.SecretVersion
	}
	return awscdk.SecretValue_SecretsManager(p.secret.SecretArn(), options).UnsafeUnwrap()
}
