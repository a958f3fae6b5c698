Redoc.init(
  '/docs/openapi.json',
  {
    disableSearch: false,
    hideDownloadButton: false,
    nativeScrollbars: true,
    requiredPropsFirst: true,
    expandResponses: '200,202',
  },
  document.getElementById('reference'),
)
