"""The options that Spark's own sources have. An option that a source does not know does nothing, so it is a mistake.

Of a format that is not Spark's own nothing is known, and nothing is refused.
"""

from __future__ import annotations

from collections.abc import Mapping

_COMMON = """
    path maxFilesPerTrigger maxBytesPerTrigger latestFirst fileNameOnly maxFileAge maxCachedFiles
    discardCachedInputRatio cleanSource sourceArchiveDir recursiveFileLookup pathGlobFilter modifiedBefore
    modifiedAfter ignoreCorruptFiles ignoreMissingFiles basePath compression timeZone
"""
_PARSED = """
    mode columnNameOfCorruptRecord encoding charset lineSep locale multiLine samplingRatio dateFormat timestampFormat
    timestampNTZFormat enableDateTimeParsingFallback singleVariantColumn preferDate inferSchema
"""
_CSV = """
    sep delimiter quote escape charToEscapeQuoteEscaping comment header enforceSchema ignoreLeadingWhiteSpace
    ignoreTrailingWhiteSpace nullValue emptyValue nanValue positiveInf negativeInf maxColumns maxCharsPerColumn
    unescapedQuoteHandling inputBufferSize columnPruning extension
"""
_JSON = """
    primitivesAsString prefersDecimal allowComments allowUnquotedFieldNames allowSingleQuotes allowNumericLeadingZeros
    allowBackslashEscapingAnyCharacter allowNonNumericNumbers allowUnquotedControlChars dropFieldIfAllNull
"""
_XML = """
    rowTag rootTag excludeAttribute attributePrefix valueTag ignoreSurroundingSpaces rowValidationXSDPath
    ignoreNamespace nullValue wildcardColName validateName arrayElementName
"""
_AVRO = """
    avroSchema avroSchemaUrl datetimeRebaseMode positionalFieldMatching mode ignoreExtension recordName recordNamespace
    enableStableIdentifiersForUnionType stableIdentifierPrefixForUnionType recursiveFieldMaxDepth
"""
_KAFKA = """
    subscribe subscribePattern assign startingOffsets startingTimestamp startingOffsetsByTimestamp endingOffsets
    startingOffsetsByTimestampStrategy endingTimestamp endingOffsetsByTimestamp failOnDataLoss
    kafkaConsumer.pollTimeoutMs fetchOffset.numRetries fetchOffset.retryIntervalMs maxOffsetsPerTrigger
    minOffsetsPerTrigger maxTriggerDelay maxRecordsPerPartition minPartitions groupIdPrefix includeHeaders
"""

KNOWN: Mapping[str, tuple[str, ...]] = {
    "csv": tuple(f"{_COMMON} {_PARSED} {_CSV}".split()),
    "json": tuple(f"{_COMMON} {_PARSED} {_JSON}".split()),
    "xml": tuple(f"{_COMMON} {_PARSED} {_XML}".split()),
    "text": tuple(f"{_COMMON} wholetext lineSep encoding".split()),
    "parquet": tuple(f"{_COMMON} mergeSchema datetimeRebaseMode int96RebaseMode".split()),
    "orc": tuple(f"{_COMMON} mergeSchema".split()),
    "avro": tuple(f"{_COMMON} {_AVRO}".split()),
    "rate": ("rowsPerSecond", "rampUpTime", "numPartitions"),
    "rate-micro-batch": ("rowsPerBatch", "numPartitions", "startTimestamp", "advanceMillisPerBatch"),
    "socket": ("host", "port", "includeTimestamp"),
    "kafka": tuple(_KAFKA.split()),
}
"""By format; names count without regard to case."""

_HANDED_ON = {"kafka": "kafka."}
"""What begins so is for somebody behind the source."""

_OURS = "datacell."
"""What begins so is for us, of whatever source."""

_OF_COLUMNS = "datacell.distinct."
ENVELOPE = "datacell.envelope"
OURS = ("datacell.keep", "datacell.rate", f"{_OF_COLUMNS}column", ENVELOPE)


def is_ours(option: str) -> bool:
    return option.lower().startswith(_OURS)


def needs_source(option: str) -> bool:
    """Does it say something of a source? Else it is of the stream, wherever its rows come from."""
    return not is_ours(option) or option.lower() == ENVELOPE


def is_known(form: str | None, option: str) -> bool:
    """May a stream with a source of this format, or without a source, be told this?"""
    name = option.lower()
    if is_ours(name):
        return name in OURS or name.startswith(_OF_COLUMNS)
    known = None if form is None else KNOWN.get(form.lower())
    if form is None or known is None or name == "format":
        return True
    handed_on = _HANDED_ON.get(form.lower())
    return name in map(str.lower, known) or (handed_on is not None and name.startswith(handed_on))
