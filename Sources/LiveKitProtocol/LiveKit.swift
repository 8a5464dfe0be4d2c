/// The messages of LiveKit's client SDKs and app servers, compatible with protocol 17.
///
/// Names, numbers and types of fields are those of the published interface. Only supported messages and fields are described;
/// a reader skips others. The messages are not those of this project's own signalling: names overlap, meanings do not.
package enum LiveKit {}
