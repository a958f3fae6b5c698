// On a narrow screen the menu starts folded.
if (matchMedia('(max-width: 60rem)').matches) document.querySelector('nav details').removeAttribute('open')
